#include "settler.hpp"

#include "report_run.hpp"
#include "trouble.hpp"

#include <cuebox/event/uuid.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace cuebox::actors {

namespace {

// One statement's worth.
constexpr std::size_t outcomes_max = 1'000;
constexpr std::size_t many_outcomes = 16;
// Between two attempts while the database is away.
constexpr std::chrono::milliseconds pause_after_failure{500};

// Whether the key may have been seen before: on the plain way it cannot.
bool may_be_a_duplicate(const outbox::claimed_row& row)
{
    std::array<char, 36> id{};
    event::print_uuid(row.envelope.event_id, id);
    return row.attempts > 0 || row.due_at_a_time() ||
           row.envelope.idempotency_key != std::string_view(id.data(), id.size());
}

}

settler::settler(company_ptr company, std::size_t index)
    : company_(std::move(company)),
      index_(index)
{}

awaitable<void> settler::run(self<messages>& me)
{
    while (auto message = co_await me.receive()) {
        take(*message);
        while (auto more = me.try_receive())
            take(*more);
        while (has_work() && !me.stopping()) {
            co_await gather(me);
            co_await flush(me);
        }
    }
    // The workers have stopped before: what they left here is all there will be.
    while (auto left = me.try_receive())
        take(*left);
    wanted_.reset();
    while (!outcomes_.empty()) {
        co_await exchange(me);
        if (failed_)
            break; // Their leases bring them back.
    }
}

void settler::take(messages::any& message)
{
    if (auto* done = std::get_if<settle>(&message)) {
        outcomes_.push_back(std::move(done->outcome));
        subjects_.push_back({std::move(done->row), std::move(done->handlers)});
    }
    else if (auto* asked = std::get_if<claim>(&message))
        wanted_ = std::move(asked->wanted);
    else if (auto* held = std::get_if<extend_leases>(&message))
        leases_ = std::move(held->held);
    else if (auto* rows = std::get_if<mark_running>(&message)) {
        running_[0] = std::move(rows->rows);
        running_changed_ = true;
        confirm_running_ = confirm_running_ || rows->confirm;
    }
    else if (auto* lane = std::get_if<request<mark_lane>>(&message)) {
        running_[lane->message.lane + 1] = std::move(lane->message.rows);
        running_changed_ = true;
        marked_lanes_.push_back(std::move(lane->reply));
    }
    else
        floor_wanted_ = true;
}

bool settler::has_work() const noexcept
{
    return !outcomes_.empty() || wanted_ || leases_ || running_changed_ || floor_wanted_;
}

// Handlers that end in one turn of the loop are settled by one statement, and what the claimer asks
// for in return goes along.
awaitable<void> settler::gather(self<messages>& me)
{
    for (std::size_t before = 0; before < outcomes_.size() && outcomes_.size() < outcomes_max;) {
        before = outcomes_.size();
        co_await asio::post(me.loop().executor(), asio::use_awaitable);
        while (auto more = me.try_receive())
            take(*more);
    }
}

awaitable<void> settler::flush(self<messages>& me)
{
    if (!outcomes_.empty() || wanted_)
        co_await exchange(me);
    auto& relay = *company_->relay;
    try {
        if (leases_) {
            const auto held = *leases_;
            const std::vector<pg::uuid> lost = co_await relay.extend(held);
            leases_.reset(); // Only now, so that what fails is tried again.
            tell_lost(held, lost);
        }
        if (running_changed_)
            co_await mark();
        if (std::exchange(floor_wanted_, false)) {
            const auto floor = co_await relay.advance_floor();
            (void)company_->claimer.try_send(floor_found{floor});
        }
        failed_ = failed_ && !outcomes_.empty();
    }
    catch (const std::exception& error) {
        note_trouble(company_->log, *company_->trouble, "settler", error);
        (void)company_->claimer.try_send(floor_found{});
        failed_ = true;
    }
    if (failed_ && !me.stopping())
        co_await me.sleep(pause_after_failure);
    while (auto more = me.try_receive())
        take(*more);
}

void settler::tell_lost(const std::vector<outbox::relay::lease>& held,
                        const std::vector<pg::uuid>& lost)
{
    leases_lost news;
    for (const auto& each : held)
        if (std::ranges::find(lost, each.id) != lost.end())
            news.leases.push_back(each);
    if (!news.leases.empty())
        (void)company_->claimer.try_send(std::move(news));
}

awaitable<void> settler::mark()
{
    std::vector<pg::uuid> all;
    for (const auto& [whose, rows] : running_)
        all.insert(all.end(), rows.begin(), rows.end());
    co_await company_->relay->mark_running(std::move(all));
    // Only now, so that what fails is tried again.
    running_changed_ = false;
    for (auto& each : std::exchange(marked_lanes_, {}))
        each();
    if (std::exchange(confirm_running_, false))
        (void)company_->claimer.try_send(marked{running_[0]});
}

awaitable<void> settler::exchange(self<messages>& me)
{
    const std::size_t count = std::min(outcomes_.size(), outcomes_max);
    std::optional<outbox::claim_request> wanted;
    // A look at everything may take long: many outcomes do not wait for it.
    claim_waited_ = !claim_waited_ && wanted_ && wanted_->bounds.full && count >= many_outcomes;
    if (!claim_waited_)
        wanted = std::exchange(wanted_, std::nullopt);
    const time_point began = me.now();
    std::vector<held_row> rows;
    try {
        auto done = co_await company_->relay->exchange(std::span(outcomes_).first(count), wanted);
        conclude(count, done.lost);
        if (!done.expand_trouble.empty())
            company_->log.warning("broadcasts wait, they could not be expanded",
                                  {{"error", done.expand_trouble}});
        failed_ = false;
        if (wanted) {
            auto reach = outbox::reach_of(done.claimed.rows, wanted->limit);
            rows.reserve(done.claimed.rows.size());
            for (auto& each : done.claimed.rows)
                rows.push_back({.row = std::move(each),
                                .token = done.claimed.token,
                                .settler = index_,
                                .done = {}});
            co_await vet(rows);
            reach.took = me.now() - began;
            pass_on({.settler = index_,
                     .bounds = wanted->bounds,
                     .reach = reach,
                     .rows = std::exchange(rows, {}),
                     .expanded = done.claimed.expanded,
                     .ok = true});
        }
    }
    catch (const std::exception& error) {
        note_trouble(company_->log, *company_->trouble, "settler", error);
        failed_ = true;
    }
    if (failed_ && wanted) {
        // Claimed, and then not looked up: nobody else would have them before their lease is over.
        give_back(rows);
        claimed nothing{.settler = index_,
                        .bounds = wanted->bounds,
                        .reach = {},
                        .rows = {},
                        .expanded = 0,
                        .ok = false};
        (void)company_->claimer.try_send(std::move(nothing));
    }
}

// They are written. What somebody else has by now is that one's to tell of.
void settler::conclude(std::size_t count, const std::vector<pg::uuid>& lost)
{
    for (std::size_t i = 0; i < count; ++i) {
        const outbox::settlement& done = outcomes_[i];
        if (std::ranges::find(lost, done.id) != lost.end())
            company_->log.warning("the row was no longer ours to settle",
                                  {{"row", event::print_uuid(done.id)}});
        else if (subjects_[i].row)
            report_settled(*company_, *subjects_[i].row, done.verdict);
    }
    const auto written = static_cast<std::ptrdiff_t>(count);
    outcomes_.erase(outcomes_.begin(), outcomes_.begin() + written);
    subjects_.erase(subjects_.begin(), subjects_.begin() + written);
}

// A look at what is already handled, for the few rows that may be: a fast path, the gate is the key
// itself.
awaitable<void> settler::vet(std::vector<held_row>& rows)
{
    const auto handlers = company_->handlers; // The keys view their names.
    std::vector<outbox::handled_record> keys;
    std::vector<held_row*> whose;
    for (held_row& each : rows) {
        if (!may_be_a_duplicate(*each.row))
            continue;
        for (const auto& handler : handlers->for_type(each.row->envelope.event_type)) {
            if (handler->own_gate)
                continue;
            keys.push_back(record_of(*handler, *each.row));
            whose.push_back(&each);
        }
    }
    if (keys.empty())
        co_return;
    const std::vector<bool> handled = co_await company_->relay->already_handled(keys);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (handled[i])
            whose[i]->done.emplace_back(keys[i].handler);
}

void settler::pass_on(claimed answer)
{
    // Left where it was when the claimer has stopped meanwhile.
    if (company_->claimer.try_send(std::move(answer)) != sent::accepted)
        give_back(answer.rows);
}

void settler::give_back(const std::vector<held_row>& rows)
{
    for (const held_row& each : rows) {
        outcomes_.push_back({.id = each.row->id,
                             .token = each.token,
                             .place = {},
                             .verdict = policy::released{},
                             .handled = {}});
        subjects_.push_back({});
    }
}

}

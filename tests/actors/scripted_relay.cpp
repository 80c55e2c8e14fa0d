#include "scripted_relay.hpp"

#include <cuebox/event/uuid.hpp>
#include <cuebox/pg/error.hpp>

#include <algorithm>

namespace cuebox::actors::test {

namespace {

constexpr pg::timestamp first_day = std::chrono::sys_days{std::chrono::January / 1 / 2026};

pg::error lost(std::string_view what)
{
    return {pg::errc::lost, "scripted", what};
}

}

// --- the world ---

pg::timestamp scripted_relay::now() const
{
    return first_day +
           std::chrono::duration_cast<std::chrono::microseconds>(stage_.now().time_since_epoch());
}

pg::uuid scripted_relay::next_id()
{
    pg::uuid id{};
    ++ids_;
    for (std::size_t i = 0; i < sizeof ids_; ++i)
        *(id.end() - 1 - static_cast<std::ptrdiff_t>(i)) =
            static_cast<std::uint8_t>(ids_ >> (8 * i));
    return id;
}

pg::uuid scripted_relay::publish(std::int64_t number, duration due_in)
{
    const pg::uuid id = next_id();
    model_row made;
    made.row.id = id;
    made.row.envelope.event_id = id;
    made.row.envelope.event_type = "order.placed";
    made.row.envelope.occurred_at = now();
    made.row.envelope.source = "shop";
    made.row.envelope.payload.text =
        R"({"number": )" + std::to_string(number) + R"(, "buyer": "ada"})";
    made.row.envelope.idempotency_key = event::print_uuid(id);
    made.row.content_class = "default";
    made.row.channel = "outbox_gen_7";
    made.row.created_at = now();
    made.row.available_at = now() + std::chrono::duration_cast<std::chrono::microseconds>(due_in);
    rows_.push_back(std::move(made));
    notify();
    return id;
}

std::vector<pg::uuid> scripted_relay::publish_many(std::int64_t count)
{
    std::vector<pg::uuid> rows;
    for (std::int64_t i = 0; i < count; ++i)
        rows.push_back(publish(i));
    return rows;
}

std::size_t scripted_relay::count(row_status status) const
{
    return static_cast<std::size_t>(std::ranges::count(rows_, status, &model_row::status));
}

const model_row* scripted_relay::find(const pg::uuid& id) const
{
    const auto found = std::ranges::find(
        rows_, id, [](const model_row& each) -> const pg::uuid& { return each.row.id; });
    return found == rows_.end() ? nullptr : &*found;
}

model_row* scripted_relay::find(const pg::uuid& id)
{
    return const_cast<model_row*>(std::as_const(*this).find(id));
}

void scripted_relay::take_lease(const pg::uuid& id)
{
    find(id)->token = next_id();
}

void scripted_relay::notify()
{
    if (line_ && !swallow_notifications && !line_half_open)
        line_->say();
}

// --- the script ---

void scripted_relay::crash_on(statement what)
{
    upon[what] = [] { throw 42; };
}

void scripted_relay::break_line()
{
    if (line_)
        line_->snap();
}

awaitable<void> scripted_relay::perform(statement what, std::optional<std::size_t> limit, bool full,
                                        std::size_t outcomes)
{
    calls.push_back(
        {.what = what, .at = stage_.now(), .limit = limit, .full = full, .outcomes = outcomes});
    if (auto called = upon.extract(what))
        called.mapped()();
    co_await gates_[what].pass();
    if (database_away || failing.contains(what))
        throw lost("the database is away");
}

std::vector<time_point> scripted_relay::times(statement what) const
{
    std::vector<time_point> when;
    for (const call& each : calls)
        if (each.what == what)
            when.push_back(each.at);
    return when;
}

std::size_t scripted_relay::full_claims() const
{
    return static_cast<std::size_t>(std::ranges::count(calls, true, &call::full));
}

std::vector<std::size_t> scripted_relay::claim_limits() const
{
    std::vector<std::size_t> limits;
    for (const call& each : calls)
        if (each.limit)
            limits.push_back(*each.limit);
    return limits;
}

// --- outbox::relay ---

pg::awaitable<outbox::relay::exchanged>
scripted_relay::exchange(std::span<const outbox::settlement> outcomes,
                         std::optional<outbox::claim_request> wanted)
{
    std::optional<std::size_t> limit;
    if (wanted)
        limit = wanted->limit;
    const bool full = wanted && wanted->bounds.full;
    co_await perform(statement::exchange, limit, full, outcomes.size());
    exchanged done;
    for (const outbox::settlement& each : outcomes)
        if (!settle(each))
            done.lost.push_back(each.id);
    if (wanted)
        done.claimed = claim(*wanted);
    co_return done;
}

bool scripted_relay::settle(const outbox::settlement& outcome)
{
    for (const outbox::handled_record& each : outcome.handled)
        handled.emplace(each.handler, each.idempotency_key);
    model_row* const each = find(outcome.id);
    if (!each || each->status != row_status::in_flight || each->token != outcome.token)
        return false;
    if (const auto* retry = std::get_if<policy::retry_in>(&outcome.verdict)) {
        ++each->row.attempts;
        each->last_error = retry->reason;
        delays.push_back({.at = stage_.now(), .delay = retry->delay});
        put_back(*each, retry->delay);
    }
    else if (const auto* dead = std::get_if<policy::dead_letter>(&outcome.verdict)) {
        each->status = row_status::failed;
        each->last_error = dead->reason;
    }
    else if (std::holds_alternative<policy::released>(outcome.verdict)) {
        put_back(*each, {});
        notify();
    }
    else {
        each->status = row_status::delivered;
    }
    each->token = {};
    return true;
}

void scripted_relay::put_back(model_row& each, std::chrono::microseconds delay)
{
    each.status = row_status::pending;
    each.token = {};
    each.row.available_at =
        std::max(each.row.created_at + std::chrono::microseconds(1), now() + delay);
}

outbox::claimed scripted_relay::claim(const outbox::claim_request& wanted)
{
    outbox::claimed got;
    got.token = next_id();
    for (model_row& each : rows_) {
        const auto& row = each.row;
        const bool beyond = row.due_at_a_time() ? row.available_at >= wanted.bounds.due_from
                                                : row.created_at >= wanted.bounds.from;
        const bool due = !row.due_at_a_time() || row.available_at <= now();
        if (got.rows.size() == wanted.limit || each.status != row_status::pending || !beyond ||
            !due ||
            std::ranges::find(wanted.event_types, row.envelope.event_type) ==
                wanted.event_types.end())
            continue;
        each.status = row_status::in_flight;
        each.token = got.token;
        each.claimed_at = stage_.now();
        got.rows.push_back(std::make_shared<const outbox::claimed_row>(row));
    }
    return got;
}

pg::awaitable<std::vector<bool>>
scripted_relay::already_handled(std::vector<outbox::handled_record> keys)
{
    co_await perform(statement::already_handled);
    std::vector<bool> known;
    for (const outbox::handled_record& each : keys)
        known.push_back(
            handled.contains({std::string(each.handler), std::string(each.idempotency_key)}));
    co_return known;
}

pg::awaitable<std::vector<pg::uuid>> scripted_relay::extend(std::vector<lease> held)
{
    co_await perform(statement::extend);
    std::vector<pg::uuid> gone;
    extended.clear();
    for (const lease& each : held) {
        model_row* const row = find(each.id);
        if (row->status == row_status::in_flight && row->token == each.token) {
            row->claimed_at = stage_.now();
            extended.push_back(each.id);
        }
        else {
            gone.push_back(each.id);
        }
    }
    co_return gone;
}

pg::awaitable<void> scripted_relay::mark_running(std::vector<pg::uuid> rows)
{
    co_await perform(statement::mark_running);
    running = std::move(rows);
}

pg::awaitable<std::unique_ptr<outbox::locked_batch>> scripted_relay::lock(outbox::claim_request)
{
    throw std::logic_error("the script has no transactional rows");
    co_return nullptr;
}

// There is no transaction to give; a script holds it up, or lets it fail.
pg::awaitable<std::unique_ptr<outbox::locked_batch>> scripted_relay::begin()
{
    co_await perform(statement::begin);
    throw lost("the script has no transactions");
}

pg::awaitable<event::timestamp> scripted_relay::advance_floor()
{
    co_await perform(statement::advance_floor);
    event::timestamp floor = now();
    for (const model_row& each : rows_)
        if (each.status == row_status::pending || each.status == row_status::in_flight)
            floor = std::min(floor, each.row.created_at);
    co_return floor;
}

pg::awaitable<std::optional<std::chrono::microseconds>> scripted_relay::next_due()
{
    co_await perform(statement::next_due);
    std::optional<std::chrono::microseconds> next;
    for (const model_row& each : rows_)
        if (each.status == row_status::pending && each.row.available_at > now())
            next = std::min(next.value_or(std::chrono::microseconds::max()),
                            each.row.available_at - now());
    co_return next;
}

pg::awaitable<std::unique_ptr<outbox::line>> scripted_relay::open_line(std::vector<std::string>)
{
    co_await perform(statement::open_line);
    if (line_refused)
        throw lost("no line can be opened");
    co_return std::make_unique<scripted_line>(*this);
}

pg::awaitable<void> scripted_relay::keep_alive(outbox::worker_report said)
{
    co_await perform(statement::keep_alive);
    report = said;
}

pg::awaitable<int> scripted_relay::lost_workers()
{
    co_await perform(statement::lost_workers);
    co_return dead_workers;
}

// Leases that ran out, this worker's own among them, cost an attempt.
pg::awaitable<std::vector<outbox::reaped_row>> scripted_relay::reap(outbox::reap_request how)
{
    co_await perform(statement::reap);
    std::vector<outbox::reaped_row> rows;
    for (model_row& each : rows_) {
        if (!how.expired || each.status != row_status::in_flight ||
            stage_.now() - each.claimed_at <= how.lease)
            continue;
        ++each.row.attempts;
        put_back(each, {});
        outbox::reaped_row taken;
        taken.id = each.row.id;
        taken.event_type = each.row.envelope.event_type;
        taken.outcome = "retry";
        rows.push_back(std::move(taken));
    }
    co_return rows;
}

pg::awaitable<outbox::gauges> scripted_relay::read_gauges(std::chrono::milliseconds)
{
    co_await perform(statement::read_gauges);
    outbox::gauges read = gauges;
    read.pending = static_cast<std::int64_t>(count(row_status::pending));
    read.in_flight = static_cast<std::int64_t>(count(row_status::in_flight));
    co_return read;
}

pg::awaitable<outbox::swept> scripted_relay::sweep(std::optional<outbox::retention>)
{
    co_await perform(statement::sweep);
    co_return outbox::swept{};
}

// --- the line ---

scripted_line::scripted_line(scripted_relay& home) : home_(home), deaf_(home.deaf)
{
    home_.line_ = this;
    silence_.close();
}

scripted_line::~scripted_line()
{
    if (home_.line_ == this)
        home_.line_ = nullptr;
}

void scripted_line::say()
{
    if (deaf_.empty())
        silence_.open();
}

void scripted_line::snap()
{
    broken_ = true;
    silence_.open();
}

pg::awaitable<void> scripted_line::heard()
{
    co_await silence_.pass();
    if (broken_)
        throw lost("the line broke");
    silence_.close();
}

pg::awaitable<void> scripted_line::check(outbox::worker_report said)
{
    co_await home_.perform(statement::check_line);
    if (broken_ || home_.line_half_open)
        throw lost("the other end does not answer");
    home_.report = said;
}

pg::awaitable<void> scripted_line::listen_also(std::string channel)
{
    co_await home_.perform(statement::listen_also);
    home_.channels.push_back(std::move(channel));
}

pg::awaitable<void> scripted_line::hang_up()
{
    co_await home_.perform(statement::hang_up);
}

}

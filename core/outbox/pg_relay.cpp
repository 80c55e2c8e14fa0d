#include "locked_transaction.hpp"
#include "pg_line.hpp"
#include "point_at.hpp"
#include "recording.hpp"
#include "settling.hpp"

#include <cuebox/event/uuid.hpp>
#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/outbox/worker_statements.hpp>

#include <boost/asio/ip/host_name.hpp>

#include <unistd.h>

namespace cuebox::outbox {

namespace {

struct recheck_step
{
    std::int32_t recovered;
    std::optional<pg::timestamp> next_from;
};

std::string make_worker_name(const std::string& context)
{
    const std::string unique = event::print_uuid(event::new_event_id());
    return context + "@" + boost::asio::ip::host_name() + ":" + std::to_string(::getpid()) + ":" +
           unique.substr(unique.size() - 6);
}

// What the server says when a row is no longer the worker's to settle (core.outbox_turn).
constexpr std::string_view not_ours = "CB002";

// One row, delivered by its one handler: what there is to settle where events are taken one by one.
bool is_one_delivered(std::span<const settlement> outcomes)
{
    return outcomes.size() == 1 && outcomes.front().handled.size() == 1 &&
           std::holds_alternative<policy::delivered>(outcomes.front().verdict);
}

std::vector<const handled_record*> records_of(std::span<const settlement* const> outcomes)
{
    std::vector<const handled_record*> handled;
    handled.reserve(outcomes.size());
    for (const settlement* each : outcomes)
        for (const handled_record& record : each->handled)
            handled.push_back(&record);
    return handled;
}

}

pg_relay::pg_relay(pg::pool& pool, relay_options options)
    : pool_(pool),
      options_(std::move(options))
{
    if (options_.worker.empty())
        options_.worker = make_worker_name(options_.context);
}

void pg_relay::add_expand(pg::pipeline& steps, const claim_request& wanted) const
{
    steps.add(expand_broadcasts, options_.generation, wanted.event_types,
              static_cast<std::int32_t>(wanted.limit), wanted.bounds.from, wanted.bounds.due_from);
    steps.add(shares_events, options_.generation, wanted.event_types);
    steps.end_segment();
}

pg_relay::expansion pg_relay::read_expand(std::span<const pg::outcome> answers,
                                          policy::sharing& learns)
{
    for (const pg::outcome& each : answers.first(2))
        if (each.failure())
            return {.rows = 0, .trouble = each.failure()->what()};
    learns.learn(answers[1].get().only<bool>(), pg::clock::now().time_since_epoch());
    return {.rows = static_cast<std::size_t>(answers[0].get().only<std::int32_t>()), .trouble = {}};
}

pg::params pg_relay::claim_params(pg::params before, const pg::uuid& token,
                                  const claim_request& wanted) const
{
    before.add(options_.worker).add(token).add(options_.generation).add(options_.context);
    before.add(wanted.event_types).add(options_.channels);
    before.add(static_cast<std::int32_t>(wanted.limit));
    before.add(wanted.bounds.from).add(wanted.bounds.due_from);
    return before;
}

pg::awaitable<std::optional<claimed>> pg_relay::turn(const settlement& done,
                                                     const claim_request& wanted)
{
    claimed got{.rows = {}, .token = event::new_event_id(), .expanded = 0};
    const handled_record& record = done.handled.front();
    pg::params values(std::in_place, done.id, done.token, record.handler, record.idempotency_key,
                      record.event_id, record.content_class);
    pg::pipeline steps;
    steps.add(turn_one, claim_params(std::move(values), got.token, wanted));
    auto connection = co_await pool_.borrow();
    const auto answers = co_await connection->run(std::move(steps));
    const auto& refused = answers.front().failure();
    if (refused && refused->sqlstate() == not_ours)
        co_return std::nullopt;
    got.rows = read_rows(answers.front().get());
    co_return got;
}

pg::awaitable<relay::exchanged> pg_relay::exchange(std::span<const settlement> outcomes,
                                                   std::optional<claim_request> wanted)
{
    exchanged done;
    const bool expanding =
        wanted && wanted->expand && leased_.likely(pg::clock::now().time_since_epoch());
    if (wanted && !expanding && is_one_delivered(outcomes)) {
        auto claimed = co_await turn(outcomes.front(), *wanted);
        if (claimed) {
            done.claimed = std::move(*claimed);
            co_return done;
        }
    }
    pg::pipeline steps;
    if (expanding)
        add_expand(steps, *wanted);
    settling settled(outcomes);
    std::optional<recording> records;
    if (auto handled = records_of(settled.rows()); !handled.empty())
        records.emplace(std::move(handled), novelty_).add_to(steps);
    settled.add_to(steps);
    if (wanted) {
        done.claimed.token = event::new_event_id();
        steps.add(claim_leased, claim_params({}, done.claimed.token, *wanted));
    }
    if (steps.empty())
        co_return done;

    auto connection = co_await pool_.borrow();
    const auto answers = co_await connection->run(std::move(steps));
    if (records)
        records->learn(answers);
    done.lost = settled.lost(answers);
    if (wanted)
        done.claimed.rows = read_rows(answers.back().get());
    if (expanding) {
        expansion expanded = read_expand(answers, leased_);
        done.claimed.expanded = expanded.rows;
        done.expand_trouble = std::move(expanded.trouble);
    }
    co_return done;
}

pg::awaitable<std::vector<bool>> pg_relay::already_handled(std::vector<handled_record> keys)
{
    auto connection = co_await pool_.borrow();
    const auto asked = point_at(std::span<const handled_record>(keys));
    const pg::result found = co_await connection->execute(find_handled, handled_params(asked));
    co_return which_are_among(asked, found);
}

pg::awaitable<std::vector<pg::uuid>> pg_relay::extend(std::vector<lease> held)
{
    std::vector<pg::uuid> ids;
    std::vector<pg::uuid> tokens;
    for (const lease& each : held) {
        ids.push_back(each.id);
        tokens.push_back(each.token);
    }
    auto connection = co_await pool_.borrow();
    co_return co_await connection->query<pg::uuid>(extend_leases, ids, tokens);
}

pg::awaitable<void> pg_relay::mark_running(std::vector<pg::uuid> rows)
{
    auto connection = co_await pool_.borrow();
    co_await connection->execute(outbox::mark_running, options_.worker, rows);
}

pg::awaitable<std::unique_ptr<locked_batch>> pg_relay::lock(claim_request wanted)
{
    auto connection = co_await pool_.borrow();
    std::size_t expanded = 0;
    if (wanted.expand && locked_.likely(pg::clock::now().time_since_epoch())) {
        pg::pipeline steps;
        add_expand(steps, wanted);
        const auto answers = co_await connection->run(std::move(steps));
        // What cannot be expanded now is left for later; the rest can be handled.
        expanded = read_expand(answers, locked_).rows;
    }
    auto batch =
        std::make_unique<locked_transaction>(std::move(connection), options_.worker, novelty_);
    const pg::params values(
        std::in_place, options_.generation, options_.context, wanted.event_types, options_.channels,
        static_cast<std::int32_t>(wanted.limit), wanted.bounds.from, wanted.bounds.due_from);
    co_await batch->claim(values, expanded);
    co_return batch;
}

pg::awaitable<std::unique_ptr<locked_batch>> pg_relay::begin()
{
    auto connection = co_await pool_.borrow();
    co_return std::make_unique<locked_transaction>(std::move(connection), options_.worker,
                                                   novelty_);
}

pg::awaitable<event::timestamp> pg_relay::advance_floor()
{
    auto connection = co_await pool_.borrow();
    co_return co_await connection->query_one<pg::timestamp>(outbox::advance_floor,
                                                            options_.generation);
}

pg::awaitable<std::optional<std::chrono::microseconds>> pg_relay::next_due()
{
    using due = std::optional<std::chrono::microseconds>;
    auto connection = co_await pool_.borrow();
    co_return co_await connection->query_one<due>(outbox::next_due, options_.generation);
}

pg::awaitable<std::unique_ptr<line>> pg_relay::open_line(std::vector<std::string> event_types)
{
    co_return co_await pg_line::open(options_, std::move(event_types));
}

pg::awaitable<int> pg_relay::lost_workers()
{
    auto connection = co_await pool_.borrow();
    co_return co_await connection->query_one<std::int32_t>(workers_lost, options_.context,
                                                           options_.generation);
}

pg::awaitable<void> pg_relay::keep_alive(worker_report report)
{
    auto connection = co_await pool_.borrow();
    pg::pipeline steps;
    const bool own_session = false;
    const bool listening = false;
    steps.add(register_worker, options_.worker, options_.context, options_.generation,
              boost::asio::ip::host_name(), static_cast<std::int32_t>(::getpid()), own_session);
    steps.add(worker_heartbeat, heartbeat_params(options_.worker, report, listening));
    const auto answers = co_await connection->run(std::move(steps));
    for (const pg::outcome& each : answers)
        each.get();
}

pg::awaitable<void> pg_relay::vouch(std::optional<pg::uuid> running)
{
    pg::connect_options where = options_.line;
    where.prepared_max = 0;
    where.application_name = "cuebox watchdog";
    pg::connection connection = co_await pg::connect(std::move(where));
    co_await connection.execute(vouch_for_worker, options_.worker, running);
    connection.close();
}

pg::awaitable<std::vector<reaped_row>> pg_relay::reap(reap_request how)
{
    auto connection = co_await pool_.borrow();
    co_return co_await connection->query<reaped_row>(
        reap_rows, options_.generation, options_.context,
        static_cast<std::int32_t>(how.max_retries), pg::json{how.type_limits}, how.lease, how.grace,
        how.expired);
}

pg::awaitable<std::int64_t> pg_relay::recheck()
{
    auto connection = co_await pool_.borrow();
    std::int64_t found = 0;
    std::optional<pg::timestamp> from = pg::timestamp::min();
    while (from) {
        const auto done =
            co_await connection->query_one<recheck_step>(recheck_rows, options_.generation, *from);
        found += done.recovered;
        from = done.next_from;
    }
    co_return found;
}

}

#include "support/migrated.hpp"

#include <cuebox/event/uuid.hpp>
#include <cuebox/outbox/pg_relay.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <functional>

using namespace cuebox;
using namespace cuebox::outbox::test;
using namespace std::chrono_literals;

// Batches through the relay: whichever statements it chooses, what becomes of each row is the same.
namespace {

constexpr auto states =
    "select status, attempts, count(*) from core.outbox group by 1, 2 order by 1";
constexpr auto records = "select count(*) from core.event_handled";

using scene = std::function<pg::awaitable<void>(outbox::pg_relay&)>;

pg::awaitable<void> play(pg::connect_options where, scene what)
{
    pg::pool pool{{.connect = where}};
    outbox::pg_relay relay{pool,
                           {.context = "billing", .generation = 1, .line = where, .worker = "w"}};
    co_await what(relay);
    pool.close();
}

// A database with so many rows to claim.
class filled : public migrated
{
public:
    explicit filled(int rows)
    {
        query("select core.allocate_generation('one'), core.subscribe('billing', 1, '{a}')");
        query("select core.outbox_publish('a', 'shop', 1) from generate_series(1, " +
              std::to_string(rows) + ")");
    }
    void act(scene what) const { run(play(options(), std::move(what))); }
};

outbox::claim_request up_to(std::size_t rows)
{
    return {.event_types = {"a"}, .limit = rows, .bounds = {}, .expand = false};
}

outbox::handled_record record_of(const outbox::claimed_row& row)
{
    return {.handler = "billing.book",
            .idempotency_key = row.envelope.idempotency_key,
            .event_id = row.envelope.event_id,
            .content_class = row.content_class};
}

std::vector<outbox::settlement> delivered(const outbox::claimed& claim)
{
    std::vector<outbox::settlement> all;
    for (const outbox::claimed_row_ptr& each : claim.rows)
        all.push_back({.id = each->id,
                       .token = claim.token,
                       .place = each->place,
                       .verdict = policy::delivered{},
                       .handled = {record_of(*each)}});
    return all;
}

void append(std::vector<outbox::settlement>& all, std::vector<outbox::settlement> more)
{
    all.insert(all.end(), more.begin(), more.end());
}

}

TEST_CASE("rows of several claims, in any order and with any outcome, are settled together",
          "[outbox]")
{
    const filled database(110);

    database.act([&](outbox::pg_relay& relay) -> pg::awaitable<void> {
        const auto large = co_await relay.exchange({}, up_to(60));
        const auto larger = co_await relay.exchange({}, up_to(45));
        const auto small = co_await relay.exchange({}, up_to(5));
        REQUIRE(large.claimed.rows.size() == 60);
        REQUIRE(larger.claimed.rows.size() == 45);
        REQUIRE(small.claimed.rows.size() == 5);
        auto outcomes = delivered(large.claimed);
        outcomes[7].verdict =
            policy::retry_in{.delay = 1h, .reason = "slow", .handler = "billing.book"};
        outcomes[7].handled.clear();
        outcomes[9].verdict = policy::dead_letter{.reason = "broken", .handler = "billing.book"};
        outcomes[9].handled.clear();
        append(outcomes, delivered(larger.claimed));
        append(outcomes, delivered(small.claimed));
        std::ranges::reverse(outcomes);

        const auto done = co_await relay.exchange(outcomes, std::nullopt);

        CHECK(done.lost.empty());
        CHECK(database.query(states) == "delivered|0|108\nfailed|0|1\npending|1|1");
        CHECK(database.query(records) == "108");
    });
}

TEST_CASE("of a batch the rows that were lost meanwhile are told, and the others settled",
          "[outbox]")
{
    const filled database(50);

    database.act([&](outbox::pg_relay& relay) -> pg::awaitable<void> {
        const auto claim = co_await relay.exchange({}, up_to(50));
        const auto outcomes = delivered(claim.claimed);
        const pg::uuid lost = outcomes[20].id;
        // The row of this one moves to another place, and stays ours.
        std::vector<outbox::relay::lease> held{
            {.id = outcomes[30].id, .token = outcomes[30].token}};
        const auto unknown = co_await relay.extend(held);
        CHECK(unknown.empty());
        database.query("update core.outbox set claim_token = gen_random_uuid() where id = '" +
                       event::print_uuid(lost) + "'");

        const auto done = co_await relay.exchange(outcomes, std::nullopt);

        REQUIRE(done.lost.size() == 1);
        CHECK(done.lost.front() == lost);
        CHECK(database.query(states) == "delivered|0|49\nin_flight|0|1");
    });
}

TEST_CASE("rows that are taken one by one are settled and claimed in one call", "[outbox]")
{
    const filled database(3);

    database.act([&](outbox::pg_relay& relay) -> pg::awaitable<void> {
        auto held = co_await relay.exchange({}, up_to(1));
        const auto first = delivered(held.claimed);
        // Nobody may write it but by a turn.
        database.query("alter function core.outbox_claim rename to claim_of_before");
        held = co_await relay.exchange(first, up_to(1));
        const auto second = delivered(held.claimed);
        REQUIRE(second.size() == 1);
        CHECK(second.front().id != first.front().id);
        CHECK(second.front().token != first.front().token);
        held = co_await relay.exchange(second, up_to(1));
        const auto third = delivered(held.claimed);
        REQUIRE(third.size() == 1);

        const auto last = co_await relay.exchange(third, up_to(1));

        CHECK(last.lost.empty());
        CHECK(last.claimed.rows.empty());
        CHECK(database.query(states) == "delivered|0|3");
        CHECK(database.query(records) == "3");
    });
}

TEST_CASE("a single row that was lost meanwhile is told, and the next one claimed", "[outbox]")
{
    const filled database(2);

    database.act([&](outbox::pg_relay& relay) -> pg::awaitable<void> {
        const auto held = co_await relay.exchange({}, up_to(1));
        const auto outcomes = delivered(held.claimed);
        database.query("update core.outbox set claim_token = gen_random_uuid() where id = '" +
                       event::print_uuid(outcomes.front().id) + "'");

        const auto done = co_await relay.exchange(outcomes, up_to(1));

        REQUIRE(done.lost.size() == 1);
        CHECK(done.lost.front() == outcomes.front().id);
        REQUIRE(done.claimed.rows.size() == 1);
        CHECK(done.claimed.rows.front()->id != outcomes.front().id);
        CHECK(database.query(states) == "in_flight|0|2");
    });
}

TEST_CASE("what was settled before, by a connection that then broke, is settled once", "[outbox]")
{
    const filled database(50);

    database.act([&](outbox::pg_relay& relay) -> pg::awaitable<void> {
        const auto claim = co_await relay.exchange({}, up_to(50));
        const auto outcomes = delivered(claim.claimed);
        co_await relay.exchange(outcomes, std::nullopt);

        const auto again = co_await relay.exchange(outcomes, std::nullopt);

        CHECK(again.lost.size() == 50);
        CHECK(database.query(states) == "delivered|0|50");
        CHECK(database.query(records) == "50");
    });
}

TEST_CASE("the gate of a large batch lets each key through once", "[outbox]")
{
    const filled database(40);

    database.act([&](outbox::pg_relay& relay) -> pg::awaitable<void> {
        const auto batch = co_await relay.lock(up_to(40));
        REQUIRE(batch->rows().size() == 40);
        std::vector<outbox::handled_record> keys;
        for (const auto& each : batch->rows())
            keys.push_back(record_of(*each));
        keys[5].idempotency_key = "handled before";
        keys[11].idempotency_key = "twin";
        keys[30].idempotency_key = "twin";
        database.query("insert into core.event_handled (handler_name, idempotency_key, event_id) "
                       "values ('billing.book', 'handled before', gen_random_uuid())");
        std::vector<bool> expected(40, true);
        expected[5] = false;
        expected[30] = false;

        // Twice: first trusting, then wary of more.
        const auto first = co_await batch->open_gate(keys);
        CHECK(first == expected);
        co_await batch->undo_gate();
        const auto second = co_await batch->open_gate(keys);
        CHECK(second == expected);

        std::vector<outbox::settlement> outcomes;
        for (const auto& each : batch->rows())
            outcomes.push_back({.id = each->id,
                                .token = {},
                                .place = each->place,
                                .verdict = policy::delivered{},
                                .handled = {}});
        outcomes[3].verdict =
            policy::retry_in{.delay = 1h, .reason = "slow", .handler = "billing.book"};
        std::ranges::reverse(outcomes);
        co_await batch->settle(outcomes);

        CHECK(database.query(states) == "delivered|0|39\npending|1|1");
        CHECK(database.query(records) == "39");
    });
}

#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

// The floor stays a second behind the clock. Tests do not wait for that: they make rows older.

TEST_CASE("the floor rises past what is settled, and not past what is not", "[schema][alone]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 3); select t.claim(2); select t.settle(1)");
    outbox.ask("select t.age('1 minute')");

    outbox.advance();
    CHECK(outbox.ask("select t.passed(1), t.passed(2)") == "t|f");

    outbox.ask("select t.settle(2)");
    outbox.advance();
    CHECK(outbox.ask("select t.passed(2), t.passed(3)") == "t|f");
    CHECK(outbox.claim_from_floor() == "3");
}

TEST_CASE("dead letters and deleted rows do not hold the floor", "[schema][alone]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 3); select t.claim(1); select t.settle(1, 'failed')");
    outbox.ask("update core.outbox set deleted_at = now() where id = t.id(2)");
    outbox.ask("select t.age('1 minute')");

    outbox.advance();

    CHECK(outbox.ask("select t.passed(1), t.passed(2), t.passed(3)") == "t|t|f");
}

TEST_CASE("the floor of a generation that has no rows rises too, a second behind",
          "[schema][alone]")
{
    outbox outbox;

    outbox.advance();

    CHECK(outbox.ask("select floor > now() - interval '1 minute' and floor < now() - interval "
                     "'900 ms' from core.outbox_floors") == "t");
}

TEST_CASE("concurrent calls do not wait for each other, a second one in a transaction does nothing",
          "[schema][alone]")
{
    outbox outbox;
    auto other = outbox.open();
    outbox.advance();

    outbox.ask("begin");
    const auto floor = outbox.ask("select core.outbox_advance_floor(1)");
    CHECK(outbox.ask("select core.outbox_advance_floor(1)") == floor);
    other.ask("set lock_timeout = '10 s'");
    CHECK_FALSE(other.ask("select core.outbox_advance_floor(1)").empty());
    outbox.ask("commit");
}

TEST_CASE("a floor ahead of the clock falls back with it", "[schema][alone]")
{
    outbox outbox;
    outbox.advance();
    outbox.ask("select t.age('-1 hour'); select t.publish(1)");
    CHECK(outbox.claim_from_floor().empty());

    outbox.advance();

    CHECK(outbox.claim_from_floor() == "1");
}

TEST_CASE("a row that stays unsettled amid thousands does not hold the floor, and can be claimed",
          "[schema][alone]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 12000)");
    outbox.ask(
        "update core.outbox set status = 'delivered' where id not in (t.id(3000), t.id(3001))");
    outbox.ask("update core.outbox set status = 'in_flight', claimed_by = 'slow', "
               "claim_token = t.id(5), claimed_at = now() where id = t.id(3000)");
    outbox.ask("select t.age('1 minute')");

    outbox.advance();

    CHECK(outbox.ask("select t.passed(3001), t.passed(12000)") == "t|t");
    CHECK(outbox.ask("select count(*) from core.outbox where available_at > created_at") == "2");
    CHECK(outbox.claim_from_floor() == "3001");
    CHECK(outbox.ask("select t.settle(3000, token => 5)").empty());
    CHECK(outbox.ask("select t.settle(3001)").empty());
    CHECK(outbox.ask("select count(*) from core.outbox where available_at > created_at") == "0");
}

TEST_CASE("a straggler that is locked at this moment holds the floor", "[schema][alone]")
{
    outbox outbox;
    auto worker = outbox.open();
    outbox.ask("select t.publish_many(1, 12000)");
    outbox.ask("update core.outbox set status = 'delivered' where id <> t.id(3000)");
    outbox.ask("select t.age('1 minute')");
    worker.ask("begin; select t.claim_locked()");

    outbox.advance("0");
    CHECK(outbox.ask("select t.passed(2999), t.passed(3000)") == "t|f");

    worker.ask("rollback");
    CHECK(outbox.claim_from_floor() == "3000");
}

TEST_CASE("a backlog stays where it is", "[schema][alone]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 6000)");
    outbox.ask("update core.outbox set status = 'delivered' where t.n(id) % 2 = 0");
    outbox.ask("select t.age('1 minute')");

    outbox.advance();

    CHECK(outbox.ask("select count(*) from core.outbox where available_at > created_at") == "0");
    CHECK_FALSE(outbox.ask("select t.passed(1)") == "t");
}

TEST_CASE("a call that merely began before the last one is no sign of the clock", "[schema][alone]")
{
    outbox outbox;
    auto early = outbox.open();
    early.ask("begin; select now()");
    outbox.advance();
    const auto state = "select floor, mark_at, mark_xid from core.outbox_floors";
    const auto before = outbox.ask(state);

    CHECK(early.ask("select core.outbox_advance_floor(1)") == outbox.ask("select t.floor()"));
    early.ask("commit");

    CHECK(outbox.ask(state) == before);
}

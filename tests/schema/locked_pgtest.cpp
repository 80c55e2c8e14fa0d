#include "outbox.hpp"
#include "support/eventually.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

// The transactional flow: a row is claimed, handled and settled in one transaction.

TEST_CASE("what was claimed and settled in a transaction is settled when it commits", "[schema]")
{
    outbox outbox;
    auto worker = outbox.open();
    outbox.ask("select t.publish_many(1, 3)");

    CHECK(worker.ask("begin; select t.claim_locked(2)") == "1,2");
    CHECK(worker.ask("select t.settle_locked(1)").empty());
    CHECK(worker.ask("select t.settle_locked(2, 'retry', '1 minute', 'broke')").empty());
    CHECK(outbox.ask("select distinct status from core.outbox") == "pending");
    worker.ask("commit");

    CHECK(outbox.ask("select status, attempts, last_error, delivered_at is not null, "
                     "available_at > created_at from core.outbox order by id") ==
          "delivered|0||t|f\npending|1|broke|f|t\npending|0||f|f");
    CHECK(outbox.ask("select t.claim()") == "3");
}

TEST_CASE("a rollback leaves rows as they were, claimable at once", "[schema]")
{
    outbox outbox;
    auto worker = outbox.open();
    outbox.ask("select t.publish_many(1, 3)");
    worker.ask("begin; select t.claim_locked(); select t.settle_locked(1)");
    worker.ask("select t.settle_locked(2, 'failed', null, 'broke')");

    worker.ask("rollback");

    CHECK(outbox.ask("select distinct status, attempts, failed_at is null from core.outbox") ==
          "pending|0|t");
    CHECK(outbox.ask("select t.claim()") == "1,2,3");
}

TEST_CASE("a worker that dies within its transaction gives its rows back", "[schema]")
{
    outbox outbox;
    auto worker = outbox.open();
    outbox.ask("select t.publish_many(1, 3)");
    worker.ask("begin; select t.claim_locked(); select t.settle_locked(1)");
    CHECK(outbox.ask("select t.claim()").empty());

    worker.kill();

    const auto gone =
        "select count(*) from pg_stat_activity where pid = " + std::string(worker.backend());
    REQUIRE(cuebox::test::eventually([&] { return outbox.ask(gone) == "0"; }));
    CHECK(outbox.ask("select t.claim()") == "1,2,3");
}

TEST_CASE("two workers pass by each other's rows without waiting", "[schema]")
{
    outbox outbox;
    auto one = outbox.open();
    auto other = outbox.open();
    outbox.ask("select t.publish_many(1, 6)");

    CHECK(one.ask("begin; select t.claim_locked(2)") == "1,2");
    CHECK(other.ask("begin; select t.claim_locked(2)") == "3,4");
    CHECK(outbox.ask("select t.claim(1)") == "5");
    one.ask("select t.settle_locked(1); commit");
    CHECK(other.ask("select t.claim_locked(9)") == "2,3,4,6");
    other.ask("commit");
}

TEST_CASE("what is left out when a transaction settles stays pending", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 3)");

    CHECK(outbox.ask("begin; select t.claim_locked()") == "1,2,3");
    CHECK(outbox.ask("select t.settle_locked(1, 'released')").empty());
    CHECK(outbox.ask("select t.settle_locked(2, 'delivered'); commit").empty());

    CHECK(outbox.ask("select t.claim()") == "1,3");
}

TEST_CASE("a dead letter of the transactional flow is the same as of the leased one", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish(1)");

    outbox.ask("begin; select t.claim_locked(); "
               "select t.settle_locked(1, 'failed', null, 'bad: z'); commit");

    CHECK(outbox.ask("select status, attempts, last_error, failed_at is not null, "
                     "first_failed_at is not null, claimed_at is not null, claimed_by, "
                     "claim_token is null from core.outbox") == "failed|0|bad: z|t|t|t|w|t");
    CHECK(outbox.ask("select events from core.metrics_dead_letters") == "1");
}

TEST_CASE("a row that somebody else settled or moved comes back as not settled", "[schema]")
{
    outbox outbox;
    auto other = outbox.open();
    outbox.ask("select t.publish_many(1, 4)");
    const auto place = outbox.ask("select ctid from core.outbox where id = t.id(2)");

    other.ask("begin; select t.claim_locked(1); select t.settle_locked(1); commit");
    CHECK(outbox.ask("select t.settle_locked(1)") == "1");
    CHECK(outbox.ask("select t.settle_locked(1, 'failed')") == "1");

    other.ask("select t.claim(1)");
    CHECK(outbox.ask("select t.settle_locked(2)") == "2");
    other.ask("select t.settle(2, 'released')");
    CHECK(outbox.ask("select t.settle_locked(2, place => '" + place + "')") == "2");
    CHECK(outbox.ask("select t.settle_locked(4, place => '" + place + "')") == "4");
    CHECK(outbox.ask("select string_agg(status, ',' order by id) from core.outbox") ==
          "delivered,pending,pending,pending");
}

TEST_CASE("who settles a row that another transaction holds waits, and then learns it lost it",
          "[schema]")
{
    outbox outbox;
    auto holder = outbox.open();
    auto intruder = outbox.open();
    outbox.ask("select t.publish(1)");
    holder.ask("begin; select t.claim_locked()");

    intruder.start("select t.settle_locked(1, 'failed')");
    REQUIRE(cuebox::test::eventually([&] {
        return outbox.ask("select cardinality(pg_blocking_pids(" + intruder.backend() + "))") ==
               "1";
    }));
    holder.ask("select t.settle_locked(1); commit");

    CHECK(intruder.finish() == "1");
    CHECK(outbox.ask("select t.status(1)") == "delivered");
}

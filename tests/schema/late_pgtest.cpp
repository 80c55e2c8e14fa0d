#include "outbox.hpp"
#include "support/eventually.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace cuebox::schema::test;

// Rows that commit late: long after rows that were made later have been claimed and settled.
namespace {

// An outbox that has settled a lot, its floor a quarter of an hour ago.
class busy : public outbox
{
public:
    busy()
    {
        ask("select t.publish_many(90, 99); select t.claim()");
        ask("select t.settle(n) from generate_series(90, 99) n; select t.age('1 minute')");
        advance();
        ask("select t.age('15 minutes')");
    }
    // What others publish meanwhile, and have done with.
    void others(int first, int last, const std::string& ago)
    {
        const auto range = std::to_string(first) + ", " + std::to_string(last);
        ask("begin; select t.publish_many(" + range + "); select t.age_own('" + ago + "'); commit");
        ask("update core.outbox set status = 'delivered' where t.n(id) between " +
            std::to_string(first) + " and " + std::to_string(last));
    }
    std::string late() { return ask("select cardinality(late_xids) from core.outbox_floors"); }
};

}

TEST_CASE("the floor waits for a transaction that could still write below it", "[schema][alone]")
{
    busy outbox;
    auto late = outbox.open();
    late.ask("begin; select t.publish(1), t.age_own('10 minutes')");
    outbox.others(2, 9, "5 minutes");

    outbox.advance("1 hour");
    late.ask("commit");

    CHECK(outbox.ask("select t.passed(1)") == "f");
    CHECK(outbox.claim_from_floor() == "1");
    CHECK(outbox.late() == "0");
}

TEST_CASE("a transaction that is the youngest of all is waited for too", "[schema][alone]")
{
    busy outbox;
    auto late = outbox.open();

    // Nobody has committed since it began: a snapshot's xmax does not tell of it.
    late.ask("begin; select t.publish(1), t.age_own('10 minutes')");
    outbox.advance("1 hour");
    CHECK(outbox.ask("select t.floor() < now() - interval '14 minutes'") == "t");
    late.ask("commit");

    CHECK(outbox.claim_from_floor() == "1");
}

TEST_CASE("a row committed long after later ones were done is found from the floor",
          "[schema][alone]")
{
    busy outbox;
    auto late = outbox.open();
    late.ask("begin; select t.publish(1), t.age_own('10 minutes')");
    outbox.others(2, 9, "5 minutes");
    const auto high = outbox.ask("select max(created_at) from core.outbox");

    // With no patience at all the floor passes the one who still runs, and remembers it.
    outbox.advance("0");
    CHECK(outbox.ask("select t.passed(9)") == "t");
    CHECK(outbox.late() == "1");
    late.ask("commit");
    CHECK(outbox.ask("select t.claim(above => '" + high + "')").empty());
    outbox.advance("0", 1);

    CHECK(outbox.ask("select t.passed(1)") == "f");
    CHECK(outbox.late() == "0");
    CHECK(outbox.claim_from_floor() == "1");
    outbox.advance("0");
    CHECK(outbox.ask("select t.passed(1)") == "f");
    outbox.ask("select t.settle(1)");
    outbox.advance("0");
    CHECK(outbox.ask("select t.passed(9)") == "t");
}

TEST_CASE("transactions that are passed by bring the floor back each to its own place",
          "[schema][alone]")
{
    busy outbox;
    auto first = outbox.open();
    auto second = outbox.open();
    auto third = outbox.open();
    first.ask("begin; select t.publish(1), t.age_own('13 minutes')");
    outbox.advance("0");
    outbox.ask("select t.age('10 minutes')");
    second.ask("begin; select t.publish(2), t.age_own('5 minutes')");
    third.ask("begin; savepoint s; select t.publish(3), t.age_own('5 minutes')");
    outbox.advance("0");
    CHECK(outbox.late() == "3");

    third.ask("release s; commit");
    outbox.advance("0", 1);
    CHECK(outbox.claim_from_floor() == "3");
    first.ask("rollback");
    outbox.advance("0", 1);
    CHECK(outbox.late() == "1");
    second.ask("commit");
    outbox.advance("0", 1);
    CHECK(outbox.claim_from_floor() == "2");
    CHECK(outbox.ask("select late_xids, late_from from core.outbox_floors") == "{}|{}");
}

TEST_CASE("a COPY that dawdles is found however long it took", "[schema][alone]")
{
    const std::string patience = GENERATE("0", "1 hour");
    busy outbox;
    auto producer = outbox.open();
    std::string rows;
    for (int n = 1000; n < 2000; ++n)
        rows += "00000000-0000-7000-8000-00000000" + std::to_string(n) + "\ta\ttests\t1\t{}\n";
    producer.ask("begin");
    producer.write("copy core.outbox (id, event_type, source, generation, payload) from stdin;\n");
    producer.write(rows);
    // Rows are stamped when they are read, written when there are many of them or no more: it is
    // the stamp that must not come before the xid.
    REQUIRE(cuebox::test::eventually([&] {
        return outbox.ask("select tuples_processed > 0 from pg_stat_progress_copy where pid = " +
                          producer.backend()) == "t";
    }));
    CHECK(outbox.ask("select backend_xid is not null from pg_stat_activity where pid = " +
                     producer.backend()) == "t");

    outbox.others(2, 9, "5 minutes");
    outbox.advance(patience);
    producer.write("\\.\n");
    producer.ask("select t.age_own('10 minutes'); commit");
    outbox.advance(patience, 1);

    CHECK(outbox.ask("select count(*) from core.outbox_claim('w', t.id(1), 1, 'ctx', '{a}', null, "
                     "9999, t.floor(), '-infinity')") == "1000");
}

TEST_CASE("a long transaction does not hold the floor, whether it writes or reads",
          "[schema][alone]")
{
    busy outbox;
    auto reader = outbox.open();
    auto writer = outbox.open();
    reader.ask("begin isolation level repeatable read; select count(*) from core.outbox");
    writer.ask("begin; create table anything ()");
    outbox.others(2, 9, "5 minutes");

    // The first call waits for it, and a minute later it has waited long enough.
    outbox.advance("5 seconds");
    CHECK(outbox.ask("select t.passed(9)") == "f");
    outbox.ask("select t.age('1 minute')");
    outbox.advance("5 seconds");

    CHECK(outbox.ask("select t.passed(9)") == "t");
    outbox.ask("select t.publish(1)");
    CHECK(outbox.claim_from_floor() == "1");
}

TEST_CASE("what a late transaction wrote is not lost to drain, retire and the views",
          "[schema][alone]")
{
    busy outbox;
    auto late = outbox.open();
    outbox.ask("select core.allocate_generation('one'), core.allocate_generation('two')");
    late.ask("begin; select t.publish(1), t.age_own('10 minutes')");
    outbox.advance("0");
    CHECK(outbox.late() == "1");

    // Its generation's workers are gone, and with them who moves the floor.
    late.ask("commit");

    CHECK(outbox.ask("select core.retire_generation(1)") == "draining");
    CHECK(outbox.ask("select generation, events from core.metrics_stranded") == "1|1");
    CHECK(outbox.ask("select core.outbox_drain(1, 2)") == "1");
    CHECK(outbox.ask("select core.retire_generation(1)") == "retired");
    CHECK(outbox.ask("select t.claim(generation => 2, above => 'infinity')") == "1");
}

TEST_CASE("what a late transaction writes after the clock went back is found", "[schema][alone]")
{
    busy outbox;
    auto late = outbox.open();
    late.ask("begin; select pg_current_xact_id()");
    outbox.advance("0");
    CHECK(outbox.late() == "1");

    // All that is known is an hour ahead of the clock now.
    outbox.ask("select t.age('-1 hour')");
    late.ask("select t.publish(1)");
    outbox.advance("0");
    outbox.ask("select t.age('1 minute')");
    late.ask("select t.age_own('1 minute')");
    outbox.advance("0");
    late.ask("commit");
    CHECK(outbox.ask("select t.passed(1)") == "t");
    outbox.advance("0", 1);

    CHECK(outbox.claim_from_floor() == "1");
}

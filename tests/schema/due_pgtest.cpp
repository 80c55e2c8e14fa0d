#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

// Rows below the floor that are to be claimed (again): they are in outbox_due.
namespace {

class risen : public outbox
{
public:
    risen()
    {
        ask("select core.allocate_generation('one'), core.allocate_generation('two')");
        ask("select t.publish_many(1, 9); select t.claim()");
    }
    // What is left is settled, an hour goes by, and the floors come after.
    void rise()
    {
        ask("select t.settle(n) from generate_series(1, 9) n; select t.age('1 hour')");
        advance();
        ask("select core.outbox_advance_floor(2); select core.outbox_advance_floor(2)");
    }
};

}

TEST_CASE("retried, released and reaped rows are found below the floor", "[schema][alone]")
{
    risen outbox;
    outbox.ask("update core.outbox set claimed_at = now() - interval '1 hour' where id = t.id(1)");
    outbox.ask("select core.outbox_reap(1)");
    outbox.ask("select t.settle(2, 'retry', retry_in => '1 hour'), t.settle(3, 'released')");

    outbox.rise();

    CHECK(outbox.ask("select t.passed(1), t.passed(2), t.passed(3)") == "t|t|t");
    CHECK(outbox.ask("select t.claim(above => 'infinity')") == "1,2,3");
}

TEST_CASE("delayed rows do not hold the floor and are found when their time comes",
          "[schema][alone]")
{
    risen outbox;
    outbox.ask("select t.publish(11, due => '30 minutes'), t.publish(12, due => '2 hours')");

    outbox.rise();

    CHECK(outbox.ask("select t.passed(11), t.passed(12)") == "t|t");
    CHECK(outbox.claim_from_floor() == "11");
}

TEST_CASE("replayed and drained rows are found below the floor of their new generation",
          "[schema][alone]")
{
    risen outbox;
    outbox.ask("select t.settle(1, 'failed'), t.publish(11)");
    outbox.rise();

    outbox.ask("select core.outbox_replay(t.id(1), 2)");
    CHECK(outbox.ask("select core.outbox_drain(1, 2)") == "1");

    CHECK(outbox.ask("select count(*) from core.outbox o join core.outbox_floors f using "
                     "(generation) where generation = 2 and created_at < floor") == "2");
    CHECK(outbox.ask("select t.claim(generation => 2, above => 'infinity')") == "1,11");
}

TEST_CASE("a row that is settled leaves the due ones", "[schema][alone]")
{
    risen outbox;
    outbox.ask("select t.settle(n, 'released') from generate_series(1, 3) n");
    CHECK(outbox.ask("select t.claim(token => 2, above => 'infinity')") == "1,2,3");

    outbox.ask("select t.settle(1, token => 2), t.settle(2, 'failed', 2), "
               "t.settle(3, 'delivered', 2)");

    CHECK(outbox.ask("select count(*) from core.outbox where available_at > created_at") == "0");
}

TEST_CASE("rows restored with an old created_at are recovered by a recheck", "[schema][alone]")
{
    risen outbox;
    outbox.rise();
    outbox.ask("select t.publish(11), t.publish(12), t.publish(13), t.publish(14)");
    outbox.ask("update core.outbox set created_at = '2020-01-01', available_at = '2020-01-01' "
               "where id in (t.id(11), t.id(12)); "
               "update core.outbox set created_at = '2020-01-02', available_at = '2020-01-01', "
               "status = 'delivered' where id = t.id(13)");
    CHECK(outbox.claim_from_floor() == "14");

    CHECK(outbox.ask("select * from core.outbox_recheck(1)") == "2|");

    CHECK(outbox.claim_from_floor() == "11,12");
    CHECK(outbox.ask("select * from core.outbox_recheck(1)") == "0|");
}

TEST_CASE("a recheck goes through all rows in steps, also through many of one instant",
          "[schema][alone]")
{
    risen outbox;
    outbox.rise();
    outbox.ask("select t.publish_many(11, 30)");
    outbox.ask("update core.outbox set available_at = '2020-01-01', created_at = '2020-01-01'::"
               "timestamptz + interval '1 h' * greatest(t.n(id) - 25, 0) where t.n(id) > 10");

    outbox.ask("do $$ declare r record; at timestamptz := '-infinity'; begin for i in 1..50 loop "
               "select * into r from core.outbox_recheck(1, at, 3); at := r.next_from; "
               "exit when at is null; end loop; assert at is null; end $$");

    CHECK(outbox.ask("select count(*) from core.outbox_claim('w', t.id(1), 1, 'ctx', '{a}', null, "
                     "99, t.floor(), '-infinity')") == "20");
}

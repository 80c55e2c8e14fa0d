#include "outbox.hpp"
#include "support/eventually.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace cuebox::schema::test;

namespace {

// Which columns of a row a statement changes.
std::string changed_by(outbox& outbox, int row, const std::string& statement)
{
    const auto id = "id = t.id(" + std::to_string(row) + ")";
    outbox.ask("create table if not exists before (like core.outbox); truncate before; "
               "alter table before alter workspace_id drop expression if exists");
    outbox.ask("insert into before select * from core.outbox where " + id);
    outbox.ask(statement);
    return outbox.ask("select string_agg(a.key, ' ' order by a.key) from before b, core.outbox o, "
                      "jsonb_each(to_jsonb(b)) old, jsonb_each(to_jsonb(o)) a where b.id = o.id "
                      "and o." +
                      id + " and old.key = a.key and old.value <> a.value");
}

// An outbox with claimed rows 1 to 3.
class claimed : public outbox
{
public:
    claimed() { ask("select t.publish_many(1, 3); select t.claim()"); }
};

}

TEST_CASE("a delivered row keeps who had it, without a lease", "[schema]")
{
    claimed outbox;

    CHECK(changed_by(outbox, 1, "select t.settle(1)") == "claim_token delivered_at status");
    CHECK(changed_by(outbox, 2, "select t.settle(2, 'delivered')") ==
          "claim_token delivered_at status");
    CHECK(outbox.ask("select status, claimed_by, claim_token is null, delivered_at >= claimed_at, "
                     "attempts, failed_at is null, available_at <= created_at from core.outbox "
                     "where id <> t.id(3)") == "delivered|w|t|t|0|t|t\ndelivered|w|t|t|0|t|t");
}

TEST_CASE("a retried row is due later and one attempt dearer", "[schema]")
{
    claimed outbox;

    CHECK(changed_by(outbox, 1,
                     "select t.settle(1, 'retry', retry_in => '1 minute', error => 'broke: x')") ==
          "attempts available_at claim_token claimed_at claimed_by first_failed_at last_error "
          "status");
    CHECK(outbox.ask("select status, attempts, last_error, first_failed_at is not null, failed_at "
                     "is null, claimed_at is null, claimed_by is null, claim_token is null, "
                     "available_at - clock_timestamp() between interval '30 s' and interval '60 s' "
                     "from core.outbox where id = t.id(1)") == "pending|1|broke: x|t|t|t|t|t|t");
}

TEST_CASE("a second failure keeps the time of the first", "[schema]")
{
    claimed outbox;
    outbox.ask("select t.settle(1, 'retry', retry_in => '0', error => 'one')");
    const auto first = outbox.ask("select first_failed_at from core.outbox where id = t.id(1)");
    CHECK(outbox.ask("select t.claim(token => 2)") == "1");

    outbox.ask("select t.settle(1, 'retry', 2, '0', 'two')");

    CHECK(outbox.ask("select attempts, last_error, first_failed_at from core.outbox "
                     "where id = t.id(1)") == "2|two|" + first);
}

TEST_CASE("a failed row becomes a dead letter and remembers who had it when", "[schema]")
{
    claimed outbox;

    CHECK(changed_by(outbox, 1, "select t.settle(1, 'failed', error => 'bad: y')") ==
          "claim_token claimed_at failed_at first_failed_at last_error status");
    CHECK(outbox.ask("select status, attempts, last_error, failed_at >= first_failed_at, "
                     "claimed_by, claim_token is null, available_at <= created_at "
                     "from core.outbox where id = t.id(1)") == "failed|0|bad: y|t|w|t|t");
}

TEST_CASE("a released row goes back as it was, claimable at once", "[schema]")
{
    claimed outbox;
    auto listener = outbox.open();
    listener.ask("listen outbox_gen_1");

    CHECK(changed_by(outbox, 1, "select t.settle(1, 'released', error => 'not kept')") ==
          "available_at claim_token claimed_at claimed_by status");
    CHECK(outbox.ask("select status, attempts, last_error is null, first_failed_at is null "
                     "from core.outbox where id = t.id(1)") == "pending|0|t|t");
    CHECK(says(listener.ask("select 1"), "\"outbox_gen_1\""));
    CHECK(outbox.ask("select t.claim(token => 2, above => 'infinity')") == "1");
}

TEST_CASE("several outcomes are settled in one statement", "[schema]")
{
    claimed outbox;

    CHECK(outbox
              .ask("select core.outbox_settle(t.ids(1, 2, 3), t.ids(1, 1, 1), '{retry,delivered,"
                   "failed}', '{1 minute,null,null}', '{slow,null,broken}')")
              .empty());
    CHECK(outbox.ask("select status, attempts, last_error from core.outbox order by id") ==
          "pending|1|slow\ndelivered|0|\nfailed|0|broken");
}

TEST_CASE("an unknown outcome is refused, and nothing is settled", "[schema]")
{
    claimed outbox;

    CHECK(says(outbox.refusal("select core.outbox_settle(t.ids(1, 2), t.ids(1, 1), "
                              "'{delivered,lost}')"),
               "outbox_status_is_known"));
    CHECK(outbox.ask("select distinct status from core.outbox") == "in_flight");
}

TEST_CASE("a stale token settles nothing and gets its id back", "[schema]")
{
    claimed outbox;

    for (const std::string outcome : {"null", "'delivered'", "'retry'", "'failed'", "'released'"})
        CHECK(changed_by(outbox, 1, "select t.settle(1, " + outcome + ", token => 9)").empty());
    CHECK(outbox.ask("select t.settle(1, token => 9)") == "1");
    CHECK(outbox.ask("select t.settle(1, 'failed', token => 9)") == "1");
    CHECK(outbox.ask("select t.settle(77)") == "77");
    CHECK(outbox.ask("select t.n(i) from core.outbox_settle(t.ids(1, 2, 3), t.ids(1, 9, 1)) i") ==
          "2");
    CHECK(outbox.ask("select t.settle(1)") == "1");
}

TEST_CASE("a lease is renewed by who holds it, and by nobody else", "[schema]")
{
    claimed outbox;
    outbox.ask("update core.outbox set claimed_at = now() - interval '1 hour'");

    CHECK(changed_by(outbox, 2, "select core.outbox_extend(t.ids(2), t.ids(9))").empty());
    CHECK(outbox.ask("select t.n(i) from core.outbox_extend(t.ids(1, 2, 77), t.ids(1, 9, 1)) i") ==
          "2\n77");
    CHECK(outbox.ask("select t.n(id) from core.outbox where claimed_at > now() - interval '10 min' "
                     "order by id") == "1");
    CHECK(changed_by(outbox, 3, "select core.outbox_extend(t.ids(3), t.ids(1))") == "claimed_at");
}

TEST_CASE("who lost a row to the reaper can neither settle nor extend it", "[schema]")
{
    claimed outbox;
    outbox.ask("update core.outbox set claimed_at = now() - interval '1 hour' where id = t.id(1)");
    CHECK(outbox.ask("select t.n(id), outcome from core.outbox_reap(1)") == "1|released");

    CHECK(outbox.ask("select t.settle(1)") == "1");
    CHECK(outbox.ask("select t.n(i) from core.outbox_extend(t.ids(1), t.ids(1)) i") == "1");
    CHECK(outbox.ask("select t.claim(token => 2)") == "1");
    CHECK(outbox.ask("select t.settle(1)") == "1");
    CHECK(outbox.ask("select t.settle(1, token => 2)").empty());
}

TEST_CASE("settles by id take rows in one order, so they cannot wait in a circle", "[schema]")
{
    const std::string call = GENERATE(
        "core.outbox_settle(t.ids(3, 2, 1), t.ids(1, 1, 1))",
        "core.outbox_settle(t.ids(3, 2, 1), t.ids(1, 1, 1), '{delivered,delivered,delivered}')");
    claimed outbox;
    auto holder = outbox.open();
    auto settler = outbox.open();
    holder.ask("begin; select 1 from core.outbox where id = t.id(2) for update");

    settler.start("select count(*) from " + call);
    REQUIRE(cuebox::test::eventually([&] {
        return outbox.ask("select cardinality(pg_blocking_pids(" + settler.backend() + "))") == "1";
    }));

    // It has the first one and waits for the second.
    CHECK(outbox.ask("select t.n(id) from core.outbox for update skip locked") == "3");
    holder.ask("commit");
    CHECK(settler.finish() == "0");
}

TEST_CASE("a heartbeat waits for nobody, and takes no locked row for lost", "[schema]")
{
    claimed outbox;
    outbox.ask("update core.outbox set claimed_at = now() - interval '1 hour'");
    auto holder = outbox.open();
    holder.ask("begin; select t.settle(2)");

    CHECK(outbox.ask("set lock_timeout = '5s'; "
                     "select t.n(i) from core.outbox_extend(t.ids(3, 2, 1, 77), t.ids(1, 1, 1, 1)) "
                     "i") == "77");
    CHECK(outbox.ask("select t.n(id) from core.outbox where claimed_at > now() - interval '10 min' "
                     "order by id") == "1\n3");
    holder.ask("rollback");
    CHECK(outbox.ask("select core.outbox_extend(t.ids(2), t.ids(1))").empty());
    CHECK(outbox.ask(
              "select count(*) from core.outbox where claimed_at > now() - interval '10 min'") ==
          "3");
}

TEST_CASE("rows of one claim are settled by their places", "[schema]")
{
    claimed outbox;

    CHECK(changed_by(outbox, 2, "select t.settle_places('{1,2,3}')") ==
          "claim_token delivered_at status");
    CHECK(outbox.ask("select distinct status from core.outbox") == "delivered");
    CHECK(outbox.ask("select t.settle_places('{1,2,3}')") == "1,2,3");
}

TEST_CASE("in whatever order places are given, rows are written once", "[schema]")
{
    const std::string order = GENERATE("asc", "desc");
    const bool leased = GENERATE(true, false);
    outbox outbox;
    outbox.ask("select t.publish_many(1, 3)");
    if (leased)
        outbox.ask("select t.claim()");
    const auto updates = [&outbox] {
        return std::stoi(outbox.ask("select pg_stat_get_xact_tuples_updated('core.outbox'::"
                                    "regclass)"));
    };
    outbox.ask("begin; select t.claim_locked()");
    const int before = updates();

    const std::string call =
        leased ? "core.outbox_settle_delivered(t.id(1), " : "core.outbox_settle_locked(";
    CHECK(outbox
              .ask("select " + call + "array_agg(ctid order by ctid " + order +
                   "), array_agg(id order by ctid " + order + ")) from core.outbox")
              .empty());

    CHECK(updates() - before == 3);
    CHECK(outbox.ask("select distinct status from core.outbox; commit") == "delivered");
}

TEST_CASE("a row that has moved since its claim is settled nonetheless", "[schema]")
{
    claimed outbox;
    outbox.ask("create table at as select id, ctid as place from core.outbox");
    outbox.ask("select core.outbox_extend(t.ids(2), t.ids(1))");
    REQUIRE(outbox.ask("select count(*) from at a join core.outbox o using (id) "
                       "where o.ctid <> a.place") == "1");

    CHECK(outbox
              .ask("select core.outbox_settle_delivered(t.id(1), array_agg(place order by place),"
                   " array_agg(id order by place)) from at")
              .empty());
    CHECK(outbox.ask("select distinct status from core.outbox") == "delivered");
}

TEST_CASE("a place that holds another row by now settles nothing but what was meant", "[schema]")
{
    claimed outbox;
    // Row 1 with the place of row 2, which is in flight under the same token.
    CHECK(outbox
              .ask("select core.outbox_settle_delivered(t.id(1), array[ctid], t.ids(1)) "
                   "from core.outbox where id = t.id(2)")
              .empty());
    CHECK(outbox.ask("select t.n(id), status from core.outbox order by id") ==
          "1|delivered\n2|in_flight\n3|in_flight");
    // One that somebody else has claimed since is theirs; the others are ours.
    outbox.ask("update core.outbox set claim_token = t.id(9) where id = t.id(2)");
    CHECK(outbox.ask("select t.settle_places('{2,3}')") == "2");
    CHECK(outbox.ask("select t.n(id), status from core.outbox order by id") ==
          "1|delivered\n2|in_flight\n3|delivered");
}

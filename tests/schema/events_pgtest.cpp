#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace cuebox::schema::test;

namespace {

// The numbers of the rows that core.find_events finds, in its order; "until" where it gave up.
std::string find(outbox& in, const std::string& arguments)
{
    return in.ask("select coalesce(string_agg(coalesce(t.n(id)::text, 'until'), ',' order by "
                  "place), '') from core.find_events(" +
                  arguments +
                  ") with ordinality as e (id, event_id, event_type, event_version, "
                  "source, target, generation, channel, domain_id, idempotency_key, "
                  "status, attempts, available_at, handler, last_error, worker, "
                  "claimed_at, occurred_at, created_at, delivered_at, failed_at, "
                  "looked_until, place)");
}

// Rows 1 to 8 at generation 1: delivered, in flight, failed, retried, discarded, delayed, and two
// that are as they were published.
class mixed : public outbox
{
public:
    mixed()
    {
        ask("select t.publish(n) from generate_series(1, 5) n; select t.claim(5)");
        ask("select t.settle(1, 'delivered'), t.settle(3, 'failed', error => 'x: y'), "
            "t.settle(4, 'retry', retry_in => '0 s', error => 'x: y'), "
            "t.settle(5, 'failed', error => 'x: y'), core.outbox_discard(t.id(5))");
        ask("select t.publish(6, due => '1 hour'), t.publish(7), t.publish(8)");
    }
};

long rows_read(outbox& in)
{
    in.ask("select pg_stat_force_next_flush()");
    return std::stol(in.ask("select coalesce(idx_tup_fetch, 0) + seq_tup_read from "
                            "pg_stat_user_tables where relname = 'outbox'"));
}

}

TEST_CASE("events are found by their status, the oldest first, and deleted ones are not",
          "[schema]")
{
    mixed outbox;

    CHECK(find(outbox, "") == "4,6,7,8");
    CHECK(find(outbox, "'in_flight'") == "2");
    CHECK(find(outbox, "'delivered'") == "1");
    CHECK(find(outbox, "'failed'") == "3");
    CHECK(find(outbox, "p_due => true") == "4,7,8");
    CHECK(find(outbox, "p_due => false") == "6");
    CHECK(says(outbox.refusal("select core.find_events('lost')"), "no event is 'lost'"));
}

TEST_CASE("what is settled below the floor does not hide what waits above it", "[schema][alone]")
{
    mixed outbox;
    outbox.ask("select t.settle(2, 'delivered')");
    outbox.ask("select t.age('1 minute')");
    outbox.advance("0 seconds", 5);

    CHECK(find(outbox, "") == "4,6,7,8");
    CHECK(find(outbox, "'delivered'") == "1,2");
}

TEST_CASE("events are found by everything in their envelope", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish(1), t.publish(2, 'b'), t.publish(3, target => 'ctx'), "
               "t.publish(4, generation => 2)");
    outbox.ask("select core.outbox_publish('a', 'other', 1, p_event_id => t.id(5), "
               "p_idempotency_key => 'five', p_domain_id => t.id(77))");
    outbox.ask("update core.outbox set created_at = created_at - interval '1 hour', available_at = "
               "available_at - interval '1 hour' where id = t.id(1)");

    CHECK(find(outbox, "p_event_type => 'b'") == "2");
    CHECK(find(outbox, "p_source => 'other'") == "5");
    CHECK(find(outbox, "p_target => 'ctx'") == "3");
    CHECK(find(outbox, "p_generation => 2") == "4");
    CHECK(find(outbox, "p_generation => 3") == "");
    CHECK(find(outbox, "p_idempotency_key => 'five'") == "5");
    CHECK(find(outbox, "p_domain_id => t.id(77)") == "5");
    CHECK(find(outbox, "p_created_until => now() - interval '1 minute'") == "1");
    CHECK(find(outbox, "p_created_from => now() - interval '1 minute'") == "2,3,4,5");
    CHECK(find(outbox, "p_source => 'other', p_event_type => 'b'") == "");
}

TEST_CASE("pages of events follow each other, over generations and equal times", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish(n, generation => 1 + n % 3) from generate_series(1, 7) n; "
               "update core.outbox set created_at = '2026-01-01' where t.n(id) in (2, 3, 4)");
    const auto after = [&](int n) {
        return find(outbox, "p_limit => 2, p_after_created_at => (select created_at from "
                            "core.outbox where id = t.id(" +
                                std::to_string(n) + ")), p_after_id => t.id(" + std::to_string(n) +
                                ")");
    };

    CHECK(find(outbox, "p_limit => 2") == "2,3");
    CHECK(after(3) == "4,1");
    CHECK(after(1) == "5,6");
    CHECK(after(6) == "7");
    CHECK(after(7) == "");
}

TEST_CASE("a search that looked at enough says how far it came, and goes on from there", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 5000); select t.publish(5001, 'b')");
    constexpr auto until = "select looked_until from core.find_events(p_event_type => 'b', "
                           "p_rows => 3000)";

    CHECK(find(outbox, "p_event_type => 'b'") == "5001");
    CHECK(find(outbox, "p_event_type => 'b', p_rows => 3000") == "until");
    const auto place = outbox.ask(until);
    CHECK(find(outbox, "p_event_type => 'b', p_rows => 3000, p_after_created_at => '" + place +
                           "', p_after_id => 'ffffffff-ffff-ffff-ffff-ffffffffffff'") == "5001");
}

TEST_CASE("a list of events reads what it shows and little else, however long the history is",
          "[schema][alone]")
{
    outbox outbox;
    outbox.ask("analyze core.outbox"); // Plans are made for a table that looks empty,
    const bool analyzed = GENERATE(false, true);
    outbox.ask("select t.publish_many(1, 20000); update core.outbox set status = 'delivered', "
               "delivered_at = now(), created_at = created_at - interval '1 hour', "
               "available_at = available_at - interval '1 hour'");
    outbox.ask("select t.publish_many(20001, 20003), t.publish(20004, due => '1 hour'); "
               "update core.outbox set status = 'failed', failed_at = now() "
               "where id = t.id(20003)");
    outbox.advance("0 seconds", 5);
    if (analyzed) // and for one that does not.
        outbox.ask("analyze core.outbox");
    const auto reads = [&](const std::string& arguments) {
        const auto before = rows_read(outbox);
        outbox.ask("select count(*) from core.find_events(" + arguments + ")");
        return rows_read(outbox) - before;
    };

    CHECK(reads("") < 100);
    CHECK(reads("p_event_type => 'none'") < 100);
    CHECK(reads("p_due => false") < 100);
    CHECK(reads("'in_flight'") < 100);
    CHECK(reads("'failed'") < 100);
    CHECK(reads("'failed', p_domain_id => t.id(1)") < 100);
    CHECK(reads("'delivered', p_limit => 10") < 5000);
    CHECK(reads("'delivered', p_event_type => 'none', p_rows => 2000") < 6000);
    CHECK(reads("'delivered', p_created_from => now() - interval '1 minute'") < 100);
}

TEST_CASE("the copies of a broadcast know of each other and of the broadcast", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.subscribe(c, 1, '{a}') from unnest('{mail,shop}'::text[]) c; "
               "select t.publish(1), t.publish(2)");
    outbox.ask("select core.outbox_expand(1, '{a}', 10, '-infinity', '-infinity')");
    const auto copies = [&](const std::string& of) {
        return outbox.ask("select string_agg(coalesce(c.target, 'all'), ',' order by c.target) "
                          "from core.outbox_copies((" +
                          of + ")) c");
    };

    CHECK(copies("t.id(1)") == "mail,shop");
    CHECK(copies("select id from core.outbox where event_id = t.id(2) and target = 'mail'") ==
          "shop,all");
    // Whatever became of them since.
    outbox.ask("update core.outbox set generation = 2 where target = 'shop'");
    CHECK(copies("t.id(1)") == "mail,shop");
    CHECK(copies("t.id(99)") == "");
    outbox.ask("select t.publish(3, target => 'mail')");
    CHECK(copies("t.id(3)") == "");
}

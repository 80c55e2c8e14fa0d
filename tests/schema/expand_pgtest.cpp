#include "outbox.hpp"
#include "support/eventually.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

namespace {

constexpr auto expand = "select core.outbox_expand(1, '{a}', 100, '-infinity', '-infinity')";

// Three contexts listen for 'a' at generation 1, one of them also elsewhere.
class shared : public outbox
{
public:
    shared()
    {
        ask("select core.subscribe('mail', 1, '{a,b}'), core.subscribe('bill', 1, '{a}'), "
            "core.subscribe('ship', 1, '{a}'), core.subscribe('mail', 2, '{a}')");
    }
};

}

TEST_CASE("events are shared where several contexts listen for one of them at the generation",
          "[schema]")
{
    shared outbox;

    CHECK(outbox.ask("select core.outbox_shares(1, '{a}'), core.outbox_shares(1, '{c,b,a}'), "
                     "core.outbox_shares(1, '{b}'), core.outbox_shares(1, '{c}'), "
                     "core.outbox_shares(1, '{}'), core.outbox_shares(2, '{a}')") == "t|t|f|f|f|f");
}

TEST_CASE("a broadcast becomes one row for each who listens, of the same event", "[schema]")
{
    shared outbox;
    outbox.ask("select core.outbox_publish('a', 'shop', 1, '{\"x\": 1}', p_class => 'bulk', "
               "p_idempotency_key => 'key', p_event_version => 2, p_event_id => t.id(1), "
               "p_trace_context => '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', "
               "p_domain_id => t.id(8), p_quiet => true)");
    auto listener = outbox.open();
    listener.ask("listen outbox_gen_1_bulk");

    CHECK(outbox.ask(expand) == "1");

    CHECK(outbox.ask(
              "select target, status, event_id = t.id(1), idempotency_key, channel, payload, "
              "event_version, source, left(trace_context, 6), workspace_id = t.id(8), generation, "
              "available_at <= created_at "
              "from core.outbox where id <> t.id(1) order by target") ==
          "bill|pending|t|key|outbox_gen_1_bulk|{\"x\": 1}|2|shop|00-4bf|t|1|t\n"
          "mail|pending|t|key|outbox_gen_1_bulk|{\"x\": 1}|2|shop|00-4bf|t|1|t\n"
          "ship|pending|t|key|outbox_gen_1_bulk|{\"x\": 1}|2|shop|00-4bf|t|1|t");
    CHECK(outbox.ask("select t.status(1), delivered_at is not null from core.outbox "
                     "where id = t.id(1)") == "delivered|t");
    CHECK(says(listener.ask("select 1"), "\"outbox_gen_1_bulk\""));
    CHECK(outbox.ask(expand) == "0");
}

TEST_CASE("each listener claims its copy, and sees the original's id", "[schema]")
{
    shared outbox;
    outbox.ask("select t.publish(1)");
    CHECK(outbox.ask("select t.claim(context => 'mail')").empty());
    outbox.ask(expand);

    const auto claim = [&outbox](const std::string& context) {
        return outbox.ask("select t.n(event_id), target from core.outbox_claim('w', t.id(1), 1, '" +
                          context + "', '{a}', null, 9, '-infinity', '-infinity')");
    };

    CHECK(claim("mail") == "1|mail");
    CHECK(claim("bill") == "1|bill");
    CHECK(claim("mail").empty());
    CHECK(claim("stranger").empty());
}

TEST_CASE("two expanders at once expand a broadcast once", "[schema]")
{
    shared outbox;
    auto one = outbox.open();
    auto other = outbox.open();
    outbox.ask("select t.publish_many(1, 10)");

    CHECK(one.ask("begin; select core.outbox_expand(1, '{a}', 4, '-infinity', '-infinity')") ==
          "4");
    CHECK(other.ask(expand) == "6");
    one.ask("commit");

    CHECK(outbox.ask("select count(*), count(distinct (event_id, target)) from core.outbox "
                     "where target is not null") == "30|30");
    CHECK(outbox.ask(expand) == "0");
}

TEST_CASE("what one context listens for, or is sent to one, is not expanded", "[schema]")
{
    shared outbox;
    outbox.ask("select t.publish(1, 'b'), t.publish(2, target => 'mail'), t.publish(3, 'c'), "
               "t.publish(4, generation => 2), t.publish(5, due => '1 hour')");

    CHECK(outbox.ask("select core.outbox_expand(1, '{a,b,c}', 9, '-infinity', '-infinity')") ==
          "0");
    CHECK(outbox.ask("select core.outbox_expand(2, '{a}', 9, '-infinity', '-infinity')") == "0");
    CHECK(outbox.ask("select t.claim(context => 'mail', types => '{a,b,c}')") == "1,2,3");
    CHECK(outbox.ask("select t.claim(context => 'mail', generation => 2)") == "4");
}

TEST_CASE("a delayed broadcast is expanded when it is due", "[schema]")
{
    shared outbox;
    outbox.ask("select t.publish(1, due => '1 hour'); select t.age('2 hours')");

    CHECK(outbox.ask("select core.outbox_expand(1, '{a}', 9, 'infinity', '-infinity')") == "1");
    CHECK(outbox.ask("select count(*) from core.outbox where status = 'pending'") == "3");
}

TEST_CASE("after all others have unsubscribed a broadcast is for the one who is left", "[schema]")
{
    shared outbox;
    outbox.ask("select t.publish(1)");

    outbox.ask("select core.unsubscribe('bill', 1, '{a}'), core.unsubscribe('ship', 1, '{a}')");

    CHECK(outbox.ask(expand) == "0");
    CHECK(outbox.ask("select t.claim(context => 'mail')") == "1");
}

TEST_CASE("a broadcast whose listeners all leave while it is expanded is not lost", "[schema]")
{
    shared outbox;
    auto operators = outbox.open();
    auto expander = outbox.open();
    outbox.ask("select t.publish(1)");

    // It has read who listens, and cannot get at the rows yet.
    operators.ask("begin; lock table core.outbox in access exclusive mode");
    expander.start(expand);
    REQUIRE(cuebox::test::eventually([&] {
        return outbox.ask("select cardinality(pg_blocking_pids(" + expander.backend() + "))") ==
               "1";
    }));
    operators.ask("delete from core.subscriptions; commit");

    CHECK(expander.finish() == "1");
    CHECK(outbox.ask("select string_agg(target, ',' order by target) from core.outbox "
                     "where status = 'pending'") == "bill,mail,ship");
}

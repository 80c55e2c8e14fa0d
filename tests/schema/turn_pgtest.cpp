#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

namespace {

// Of row 1, held under token 1, with the key of a record; it claims under token 2.
std::string turn(const std::string& token = "1", const std::string& key = "k")
{
    return "select t.list(array(select c from core.outbox_turn(t.id(1), t.id(" + token +
           "), 'ctx.h', '" + key +
           "', t.id(1), 'audit', 'w', t.id(2), 1, 'ctx', '{a}', null, 1, '-infinity', "
           "'-infinity') c))";
}

constexpr auto recorded = "select handler_name, idempotency_key, event_id = t.id(1), content_class "
                          "from core.event_handled";

// Three rows, of which the first is held.
class held : public outbox
{
public:
    held() { ask("select t.publish_many(1, 3); select t.claim(1)"); }
};

}

TEST_CASE("a turn settles a row, writes its record and claims the next one", "[schema]")
{
    held outbox;

    CHECK(outbox.ask(turn()) == "2");

    CHECK(outbox.ask("select status, delivered_at is not null, claim_token is null, claimed_by "
                     "from core.outbox where id = t.id(1)") == "delivered|t|t|w");
    CHECK(outbox.ask("select status, claim_token = t.id(2) from core.outbox where id = t.id(2)") ==
          "in_flight|t");
    CHECK(outbox.ask("select t.status(3)") == "pending");
    CHECK(outbox.ask(recorded) == "ctx.h|k|t|audit");
}

TEST_CASE("a turn whose row is another's by now changes nothing, and says so", "[schema]")
{
    held outbox;

    CHECK(says(outbox.refusal(turn("7")), "is not held under that token any more"));

    CHECK(outbox.ask("select t.status(1), t.status(2)") == "in_flight|pending");
    CHECK(outbox.ask(recorded).empty());
}

TEST_CASE("a turn whose key was handled before concedes: the row is delivered", "[schema]")
{
    held outbox;
    outbox.ask("select core.record_handled('{ctx.h}', '{k}', t.ids(1), '{standard}')");

    CHECK(outbox.ask(turn()) == "2");

    CHECK(outbox.ask("select t.status(1)") == "delivered");
    CHECK(outbox.ask(recorded) == "ctx.h|k|t|standard");
}

TEST_CASE("a turn leaves broadcasts that others listen for to be expanded", "[schema]")
{
    held outbox;
    outbox.ask("select core.subscribe('ctx', 1, '{a}'), core.subscribe('other', 1, '{a}')");
    outbox.ask("select t.publish(4, target => 'ctx')");

    CHECK(outbox.ask(turn()) == "4");
    CHECK(outbox.ask("select t.status(2), t.status(3)") == "pending|pending");
}

#include "outbox.hpp"
#include "support/eventually.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace cuebox::schema::test;

namespace {

// Records keys for the handler a.b and tells the positions of those that were there.
std::string record(const std::string& keys, const std::string& likely_new)
{
    return "select string_agg(n::text, ',') from core.record_handled("
           "array(select 'a.b' from unnest('" +
           keys + "'::text[])), '" + keys + "', array(select t.id(1) from unnest('" + keys +
           "'::text[])), array(select 'standard' from unnest('" + keys + "'::text[])), " +
           likely_new + ") n";
}

constexpr auto recorded =
    "select string_agg(idempotency_key, ',' order by idempotency_key) from core.event_handled";

}

TEST_CASE("records tell which keys were there before", "[schema]")
{
    const std::string likely_new = GENERATE("true", "false");
    outbox outbox;

    CHECK(outbox.ask(record("{k1,k2,k3}", likely_new)).empty());
    CHECK(outbox.ask(record("{k0,k2,k4,k3}", likely_new)) == "2,4");
    CHECK(outbox.ask(recorded) == "k0,k1,k2,k3,k4");
    CHECK(outbox.ask(record("{k4}", likely_new)) == "1");
}

TEST_CASE("who expects duplicates writes nothing that has to be undone", "[schema]")
{
    outbox outbox;
    const auto written = [&outbox](const std::string& call) {
        const auto count = [&outbox] {
            return std::stoi(outbox.ask(
                "select pg_stat_get_xact_tuples_inserted('core.event_handled'::regclass)"));
        };
        outbox.ask("begin");
        const int before = count();
        outbox.ask(call);
        const int after = count();
        outbox.ask("commit");
        return after - before;
    };

    CHECK(written(record("{k1,k2,k3}", "true")) == 3);
    CHECK(written(record("{k4,k5,k3}", "true")) == 5); // Three of them in vain.
    CHECK(written(record("{k6,k7,k3}", "false")) == 2);
}

TEST_CASE("of two alike in one call the first is the caller's", "[schema]")
{
    const std::string likely_new = GENERATE("true", "false");
    outbox outbox;

    CHECK(outbox.ask(record("{k2,k1,k2,k2}", likely_new)) == "3,4");
    CHECK(outbox.ask(recorded) == "k1,k2");
}

TEST_CASE("a record that another transaction is about to write is waited for", "[schema]")
{
    const std::string likely_new = GENERATE("true", "false");
    const std::string ending = GENERATE("commit", "rollback");
    outbox outbox;
    auto other = outbox.open();
    auto ours = outbox.open();
    other.ask("begin; " + record("{k2}", "true"));

    ours.start(record("{k1,k2}", likely_new));
    REQUIRE(cuebox::test::eventually([&] {
        return outbox.ask("select cardinality(pg_blocking_pids(" + ours.backend() + "))") == "1";
    }));
    other.ask(ending);

    CHECK(ours.finish() == (ending == "commit" ? "2" : ""));
    CHECK(outbox.ask(recorded) == "k1,k2");
}

TEST_CASE("a record that breaks a rule is an error, however it is written", "[schema]")
{
    const std::string likely_new = GENERATE("true", "false");
    outbox outbox;

    CHECK(says(outbox.refusal("select core.record_handled('{unscoped}', '{k}', t.ids(1), "
                              "'{standard}', " +
                              likely_new + ")"),
               "event_handled_handler_name_is_scoped"));
}

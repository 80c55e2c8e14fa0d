#include "support/migrated.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>

using namespace cuebox;
using namespace cuebox::outbox::test;

namespace {

cuebox::test::outcome publish(const cuebox::test::database& into,
                              std::vector<std::string> arguments, std::string_view input = "")
{
    arguments.insert(arguments.begin(), {"publish", "--database", into.conninfo()});
    return cuebox::test::run(CUEBOX, arguments, input, {{"CUEBOX_GENERATION", "7"}});
}

std::string lines(int count)
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += R"({"type":"order.placed","source":"shop","payload":{"number":)" +
                std::to_string(i) + "}}\n";
    return text;
}

}

TEST_CASE("cuebox publish writes one event from its arguments", "[cuebox]")
{
    const migrated database;

    const auto ended = publish(database, {"--type", "order.placed", "--source", "shop", "--target",
                                          "billing", "--payload", R"({"number": 3})", "--key", "k",
                                          "--delay", "1h", "--class", "bulk", "--json"});

    INFO(ended.err);
    CHECK(ended.exit == 0);
    CHECK(ended.out.find(R"("channel":"outbox_gen_7_bulk")") != std::string::npos);
    CHECK(database.query("select event_type, source, target, payload->'number', idempotency_key, "
                         "channel, available_at > created_at from core.outbox") ==
          "order.placed|shop|billing|3|k|outbox_gen_7_bulk|t");
}

TEST_CASE("cuebox publish writes many events from NDJSON, all or none", "[cuebox]")
{
    const migrated database;

    const auto good = publish(database, {}, lines(5'000) + "\n");
    const auto bad =
        publish(database, {}, lines(10) + "{\"type\":\"t\",\"source\":\"s\",\"payload\":[]}");

    CHECK(good.exit == 0);
    CHECK(good.out == "published 5,000 events\n");
    CHECK(bad.exit == 1);
    CHECK(bad.err.starts_with("cuebox: line 11: "));
    CHECK(bad.err.find("nothing was published") != std::string::npos);
    CHECK(database.query("select count(*), count(distinct id) from core.outbox") == "5000|5000");
}

TEST_CASE("in batches, cuebox publish keeps what is committed and says how far it got", "[cuebox]")
{
    const migrated database;

    const auto ended = publish(database, {"--batch", "4"}, lines(10) + "nonsense\n");

    CHECK(ended.exit == 1);
    CHECK(ended.err.find("line 11: ") != std::string::npos);
    CHECK(ended.err.find("the first 8 events are published") != std::string::npos);
    CHECK(database.query("select count(*) from core.outbox") == "8");
}

TEST_CASE("every key of a line is understood, and a misspelt one is refused", "[cuebox]")
{
    const migrated database;

    const auto good =
        publish(database, {"--source", "fallback"},
                R"({"type":"t","payload":{},"target":"x","key":"k",)"
                R"("domain_id":"11111111-2222-4333-8444-555555555555",)"
                R"("version":3,"class":"hot","delay":"90s","generation":9,)"
                R"("trace_context":"00-11111111111111111111111111111111-2222222222222222-01"})");
    const auto bad = publish(database, {}, R"({"type":"t","source":"s","taget":"x"})");

    INFO(good.err);
    CHECK(good.exit == 0);
    CHECK(
        database.query("select source, target, idempotency_key, domain_id, event_version, channel, "
                       "generation, trace_context, available_at > created_at from core.outbox") ==
        "fallback|x|k|11111111-2222-4333-8444-555555555555|3|outbox_gen_9_hot|9|"
        "00-11111111111111111111111111111111-2222222222222222-01|t");
    CHECK(bad.exit == 1);
    CHECK(bad.err.find(R"(line 1: unknown key "taget": did you mean "target"?)") !=
          std::string::npos);
}

TEST_CASE("an interrupted cuebox publish has published nothing", "[cuebox]")
{
    const migrated database;
    cuebox::test::process publishing(
        CUEBOX, {"publish", "--database", database.conninfo(), "--generation", "7"});

    publishing.write(lines(100));
    while (database.query("select count(*) from pg_stat_activity where query ~ 'copy core.outbox' "
                          "and datname = current_database() and pid <> pg_backend_pid()") == "0")
        continue;
    publishing.signal(SIGINT);
    const auto ended = publishing.wait();

    CHECK(ended.exit == 1);
    CHECK(ended.err.find("interrupted") != std::string::npos);
    CHECK(database.query("select count(*) from core.outbox") == "0");
}

TEST_CASE("what cuebox publish lacks is named with the next step", "[cuebox]")
{
    const cuebox::test::database empty;
    const auto said = [](std::vector<std::string> arguments, cuebox::test::environment with) {
        arguments.insert(arguments.begin(), "publish");
        const auto ended = cuebox::test::run(CUEBOX, arguments, "", with);
        return std::to_string(ended.exit) + " " + ended.err;
    };

    CHECK(said({"--type", "t", "--source", "s"}, {{"CUEBOX_GENERATION", "1"}})
              .find("1 cuebox: no database: give --database URL") == 0);
    CHECK(said({"--type", "t", "--source", "s", "--database", empty.conninfo()}, {})
              .find("1 cuebox: no generation: configure one or set CUEBOX_GENERATION") == 0);
    CHECK(said({"--type", "t", "--source", "s", "--database", empty.conninfo()},
               {{"CUEBOX_GENERATION", "1"}})
              .find("run `cuebox migrate`") != std::string::npos);
    CHECK(said({"--type", "t"}, {}).find("2 cuebox: --source is missing") == 0);
    CHECK(said({"--type", "", "--source", "s", "--database", empty.conninfo()},
               {{"CUEBOX_GENERATION", "1"}})
              .find("1 cuebox: event_type: ") == 0);
    CHECK(said({"--typ", "t"}, {}).starts_with("2 cuebox: "));
}

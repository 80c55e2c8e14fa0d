#include "operations/desk.hpp"
#include "support/eventually.hpp"
#include "support/process.hpp"
#include "support/session.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>

using namespace cuebox;
using namespace cuebox::operations::test;

namespace {

cuebox::test::outcome dlq(const desk& at, std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "dlq");
    arguments.insert(arguments.end(), {"--database", at.conninfo()});
    return cuebox::test::run(CUEBOX, arguments);
}

bool says(const std::string& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

constexpr auto first_id = "00000000-0000-7000-8000-000000000001";

}

TEST_CASE("cuebox dlq list shows what matches, and where to go on", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 3) n; "
               "select t.dead(4, E'Refused: \\x1b[31mred\\nsecond line')");

    const auto all = dlq(desk, {"list", "--error-class", "Timeout", "--limit", "2"});
    const auto rest = dlq(desk, {"list", "--error-class", "Timeout", "--limit", "2", "--after",
                                 all.out.substr(all.out.find("--after ") + 8, 64)});
    const auto other = dlq(desk, {"list", "--error", "RED"});

    INFO(all.err + rest.err);
    CHECK(all.exit == 0);
    CHECK(says(all.out, "000000000003"));
    CHECK(says(all.out, "billing.invoice"));
    CHECK(says(all.out, "Timeout: no answer"));
    CHECK_FALSE(says(all.out, "000000000001"));
    CHECK(says(rest.out, "000000000001"));
    CHECK_FALSE(says(rest.out, "there are more"));
    // What came from elsewhere does not paint the terminal.
    CHECK(says(other.out, "red"));
    CHECK_FALSE(says(other.out, "\x1b"));
    CHECK(dlq(desk, {"list", "--older-than", "1h"}).out == "no dead letters\n");
}

TEST_CASE("cuebox dlq list counts by error, type or handler", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(1), t.dead(2), t.dead(3, 'Refused: no', 'billing.totals')");

    CHECK(says(dlq(desk, {"list", "--group-by", "error", "--json"}).out,
               R"({"groups":[{"error_class":"Timeout","events":2,)"));
    CHECK(says(dlq(desk, {"list", "--group-by", "type"}).out, "order.placed  shop → billing"));
    CHECK(says(dlq(desk, {"list", "--group-by", "handler", "--handler", "billing.totals"}).out,
               "billing.totals"));
    CHECK(dlq(desk, {"list", "--group-by", "mood"}).exit == 2);
}

TEST_CASE("a class that cuebox dlq list counts is one that --error-class takes", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(1, 'no_stock: of 7'), t.dead(2, 'no_stock: of 8'), "
               "t.dead(3, 'it fell over'), t.dead(4, E'SQLSTATE 23505: key\nmore: text')");

    const std::string counted = dlq(desk, {"list", "--group-by", "error"}).out;

    INFO(counted);
    for (const char* each : {"no_stock", "it fell over", "SQLSTATE 23505"}) {
        CHECK(says(counted, each));
        CHECK(says(dlq(desk, {"list", "--error-class", each}).out, each));
    }
    CHECK_FALSE(says(counted, "of 7"));
}

TEST_CASE("cuebox dlq show tells the whole history", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(1, 'Timeout: first'), core.outbox_replay(t.id(1), 2, 'ada'); "
               "select t.fail(1, 'Refused: second')");

    const auto shown = dlq(desk, {"show", first_id});
    const auto json = dlq(desk, {"show", first_id, "--json"});

    CHECK(shown.exit == 0);
    CHECK(says(shown.out, "status        failed since 2"));
    CHECK(says(shown.out, "Z, cycle 2, 0 retries\n"));
    CHECK(says(shown.out, "error         Refused: second\n"));
    CHECK(says(shown.out, "payload\n  {\n    \"number\": 1\n  }\n"));
    CHECK(says(shown.out, "cycle 1  failed "));
    CHECK(says(shown.out, "Timeout: first"));
    CHECK(says(shown.out, " by ada"));
    CHECK(says(shown.out, "replay by ada (database user "));
    CHECK(says(json.out, R"("history":[{"cycle":1,"attempts":0,"handler":"billing.invoice",)"));
    CHECK(dlq(desk, {"show", "00000000-0000-7000-8000-000000000009"}).exit == 1);
    CHECK(dlq(desk, {"show", "seven"}).exit == 2);
}

TEST_CASE("cuebox dlq is narrowed to a domain", "[cuebox]")
{
    const desk desk;
    constexpr auto domain = "00000000-0000-7000-8000-000000000077";
    desk.query("select t.dead(n) from generate_series(1, 4) n; "
               "update core.outbox set domain_id = t.id(77) where id in (t.id(1), t.id(2))");

    const auto listed = dlq(desk, {"list", "--domain", domain});
    const auto replayed =
        dlq(desk, {"replay", "--domain", domain, "--limit", "1", "--yes", "--rate", "0"});
    const auto discarded = dlq(desk, {"discard", "--domain", domain, "--yes"});
    const auto wrong = dlq(desk, {"discard", "--domain", "acme", "--yes"});

    CHECK(says(listed.out, "000000000001"));
    CHECK(says(listed.out, "000000000002"));
    CHECK_FALSE(says(listed.out, "000000000003"));
    CHECK(replayed.out == "replayed 1 dead letter to generation 1\n");
    CHECK(discarded.out == "discarded 1 dead letter\n");
    CHECK(wrong.exit == 2);
    CHECK(says(wrong.err, "--domain: \"acme\" is no domain: write its UUID"));
    CHECK(desk.query("select count(*) from core.dead_letters") == "2");
}

TEST_CASE("cuebox dlq list cuts nothing for a program that reads it", "[cuebox]")
{
    const desk desk;
    const std::string error = "Refused: " + std::string(3000, 'x') + " end";
    desk.query("select t.publish(1, repeat('t', 255)), t.fail(1, '" + error + "')");

    const auto listed = dlq(desk, {"list"});

    CHECK(says(listed.out, std::string(255, 't')));
    CHECK(says(listed.out, error + "\n"));
}

TEST_CASE("cuebox dlq show keeps the lines of an error, and nothing that a terminal obeys",
          "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(1, E'Refused:\\n\\tat \\x1b[31mred\\r\\n  \\u202Egnp.exe'); "
               "update core.outbox set payload = '{\"a\": [1.10, 12345678901234567890, {}], "
               "\"b\": \"\\u202e\\u0007 x\"}'");

    const auto shown = dlq(desk, {"show", first_id});

    CHECK(says(shown.out, "error         Refused:\n"
                          "              \\tat \\x1b[31mred\\r\n"
                          "                \\u202egnp.exe\n"));
    CHECK(says(shown.out, "payload\n"
                          "  {\n"
                          "    \"a\": [\n"
                          "      1.10,\n"
                          "      12345678901234567890,\n"
                          "      {}\n"
                          "    ],\n"
                          "    \"b\": \"\\u202e\\u0007 x\"\n"
                          "  }\n"));
}

TEST_CASE("cuebox dlq replay takes an event by its id and says where it went", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(1)");

    const auto done = dlq(desk, {"replay", first_id, "--by", "ada"});
    const auto again = dlq(desk, {"replay", first_id});

    CHECK(done.exit == 0);
    CHECK(done.out == "replayed 1 dead letter to generation 1\n");
    CHECK(again.exit == 1);
    CHECK(says(again.err, "is pending, only failed events can be replayed; See how"));
    CHECK(desk.query("select replayed from (select failure_history->0->>'replayed_by' as replayed "
                     "from core.outbox) r") == "ada");
}

TEST_CASE("cuebox dlq replay of many wants a yes, and does nothing without", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 1200) n; "
               "select t.dead(1201, 'Refused: no')");

    const auto unsure = dlq(desk, {"replay", "--error-class", "Timeout"});
    const auto aimless = dlq(desk, {"replay", "--yes"});
    const auto both = dlq(desk, {"replay", "--all", first_id, "--yes"});
    CHECK(desk.query("select count(*) from core.dead_letters") == "1201");
    const auto sure = dlq(desk, {"replay", "--error-class", "Timeout", "--yes", "--to", "1",
                                 "--rate", "0", "--json"});

    CHECK(unsure.exit == 2);
    CHECK(says(
        unsure.err,
        "would replay 1,200 dead letters, each to a generation at which its context listens, and "
        "there is nobody to ask: give --yes"));
    CHECK(aimless.exit == 2);
    CHECK(says(aimless.err, "or say --all"));
    CHECK(both.exit == 2);
    CHECK(sure.exit == 0);
    CHECK(sure.out == "{\"generation\":1,\"to\":[{\"generation\":1,\"events\":1200}],\"replayed\":"
                      "1200,\"refused\":0,\"refusals\":[]}\n");
    CHECK(desk.query("select count(*) from core.dead_letters") == "1");
    CHECK(desk.query("select count(*) from core.operator_actions where action = 'replay' "
                     "and actor like '%@%'") == "1200");
}

TEST_CASE("cuebox dlq replay says what it left, and that not all was done", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(1), t.dead(2); update core.outbox "
               "set created_at = now() - interval '70 days' where id = t.id(1)");

    const auto some = dlq(desk, {"replay", "--all", "--yes"});
    const auto forced = dlq(desk, {"replay", "--all", "--yes", "--force"});

    CHECK(some.exit == 1);
    CHECK(some.out == "replayed 1 dead letter to generation 1\n");
    CHECK(says(some.err, "before the dedup horizon of 60 days"));
    CHECK(says(some.err, "--force"));
    CHECK(forced.exit == 0);
    CHECK(dlq(desk, {"replay", "--all", "--yes"}).out == "no dead letters match: nothing to do\n");
}

TEST_CASE("cuebox dlq discard gives up what it is told to", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 3) n");

    CHECK(dlq(desk, {"discard", first_id}).out == "discarded 1 dead letter\n");
    CHECK(dlq(desk, {"discard", "--handler", "billing.invoice", "--limit", "1", "--yes"}).out ==
          "discarded 1 dead letter\n");
    CHECK(dlq(desk, {"discard", "--all", "--yes", "--json"}).out ==
          "{\"discarded\":1,\"refused\":0,\"refusals\":[]}\n");
    CHECK(dlq(desk, {"discard", "--all", "--force"}).exit == 2);
    CHECK(desk.query("select count(*) from core.dead_letters") == "0");
}

TEST_CASE("cuebox dlq refuses ages and rates that are none", "[cuebox]")
{
    const desk desk;

    CHECK(says(dlq(desk, {"list", "--older-than", "soon"}).err, "\"soon\" is no age: write"));
    CHECK(dlq(desk, {"list", "--older-than", "soon"}).exit == 2);
    CHECK(dlq(desk, {"replay", "--all", "--rate", "-5/s"}).exit == 2);
    CHECK(dlq(desk, {"replay", "--all", "--rate", "1e-30/s"}).exit == 2);
    CHECK(dlq(desk, {"list", "--after", "7"}).exit == 1);
}

TEST_CASE("cuebox dlq finds the copies of a broadcast by the event's id", "[cuebox]")
{
    const desk desk;
    desk.query("select core.subscribe('mail', 1, '{order.placed}'), t.publish(1, target => null)");
    desk.query("select core.outbox_expand(1, '{order.placed}', 10, '-infinity', '-infinity')");
    desk.query("update core.outbox set status = 'failed', failed_at = now(), "
               "last_error = 'Timeout: no answer' where event_id = t.id(1) and target = 'mail'");
    const std::string next = "cuebox dlq list --event " + std::string(first_id);

    const auto shown = dlq(desk, {"show", first_id});
    const auto refused = dlq(desk, {"discard", first_id});
    const auto listed = dlq(desk, {"list", "--event", first_id});

    CHECK(says(shown.out, "copies        1 failed, see `" + next + "`"));
    CHECK(refused.exit == 1);
    CHECK(says(refused.err, next));
    CHECK(says(listed.out, "shop → mail"));
    CHECK(dlq(desk, {"list", "--event", "seven"}).exit == 2);
    CHECK(dlq(desk, {"discard", "--event", first_id, "--yes"}).out == "discarded 1 dead letter\n");
}

TEST_CASE("cuebox that is interrupted leaves nothing running behind it", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 3) n");
    cuebox::test::session holder{desk.conninfo()};
    holder.ask("begin; lock core.operator_actions in share mode"); // No discard is on record yet.
    cuebox::test::process discard{
        CUEBOX, {"dlq", "discard", "--all", "--yes", "--database", desk.conninfo()}};
    REQUIRE(cuebox::test::eventually([&] {
        return desk.query("select count(*) from pg_stat_activity where wait_event_type = 'Lock' "
                          "and datname = current_database()") == "1";
    }));

    discard.signal(SIGINT);
    const auto ended = discard.wait();
    holder.ask("commit");

    CHECK(ended.exit == 1);
    CHECK(says(ended.err, "interrupted: what was committed stays, the rest is undone"));
    // Whoever still waited there would have got its locks now.
    CHECK(cuebox::test::eventually([&] {
        return desk.query("select count(*) from pg_stat_activity where state <> 'idle' and datname "
                          "= current_database() and pid <> pg_backend_pid()") == "0";
    }));
    CHECK(desk.query("select count(*) from core.dead_letters") == "3");
}

TEST_CASE("cuebox whose output cannot be written says so", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(1)");
    const auto into_the_void = [&](const std::string& arguments) {
        return cuebox::test::run("/bin/sh",
                                 {"-c", std::string(CUEBOX) + " " + arguments + " --database '" +
                                            desk.conninfo() + "' > /dev/full"});
    };

    for (const auto* each : {"dlq list", "dlq list --json", "status", "status --watch --json"}) {
        CAPTURE(each);
        const auto ended = into_the_void(each);
        CHECK(ended.exit == 1);
        CHECK(says(ended.err, "the output could not be written"));
    }
}

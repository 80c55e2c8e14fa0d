#include "operations/desk.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <sstream>

using namespace cuebox;
using namespace cuebox::operations::test;

namespace {

cuebox::test::outcome events(const desk& at, std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "events");
    arguments.insert(arguments.end(), {"--database", at.conninfo()});
    return cuebox::test::run(CUEBOX, arguments);
}

bool says(const std::string& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

// In a terminal of so many columns, as a user would see it.
std::string on_terminal(const desk& at, int columns, const std::string& arguments)
{
    const std::string command = "stty cols " + std::to_string(columns) +
                                " rows 24; LC_ALL=C.UTF-8 " + CUEBOX + " " + arguments +
                                " --database '" + at.conninfo() + "'";
    return cuebox::test::run("/usr/bin/script", {"-qec", command, "/dev/null"}).out;
}

}

TEST_CASE("cuebox events list shows what is pending, and where to go on", "[cuebox]")
{
    const desk desk;
    desk.query("select t.publish(n) from generate_series(1, 3) n; select t.dead(4)");

    const auto first = events(desk, {"list", "--limit", "2"});
    const auto rest = events(desk, {"list", "--limit", "2", "--after",
                                    first.out.substr(first.out.find("--after ") + 8, 64)});
    const auto json = events(desk, {"list", "--json"});

    INFO(first.err + rest.err);
    CHECK(first.exit == 0);
    CHECK(says(first.out, "PUBLISHED"));
    CHECK(says(first.out, "shop → billing"));
    CHECK(says(first.out, "000000000001"));
    CHECK(says(first.out, "000000000002"));
    CHECK_FALSE(says(first.out, "000000000003"));
    CHECK(says(rest.out, "000000000003"));
    CHECK_FALSE(says(rest.out, "000000000004"));
    CHECK_FALSE(says(rest.out, "there are more"));
    CHECK(says(json.out, R"({"events":[{"id":"00000000-0000-7000-8000-000000000001",)"));
    CHECK_FALSE(says(json.out, "payload"));
    CHECK_FALSE(says(first.out, "number"));
}

TEST_CASE("cuebox events list takes every filter", "[cuebox]")
{
    const desk desk;
    desk.query("select t.publish(1), t.publish(2, 'order.paid', 'mail', 'bank'), t.dead(3); "
               "select core.outbox_publish('order.placed', 'shop', 2, p_event_id => t.id(4), "
               "p_domain_id => t.id(77), p_idempotency_key => 'four', "
               "p_available_at => now() + interval '1 hour')");
    const auto found = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "list");
        const auto listed = events(desk, arguments);
        std::string numbers = listed.err;
        for (const char* n : {"1", "2", "3", "4"})
            if (says(listed.out, "-00000000000" + std::string(n)))
                numbers += n;
        return numbers;
    };

    CHECK(found({}) == "124");
    CHECK(found({"--status", "failed"}) == "3");
    CHECK(found({"--status", "delivered"}).empty());
    CHECK(found({"--type", "order.paid"}) == "2");
    CHECK(found({"--source", "bank"}) == "2");
    CHECK(found({"--target", "billing"}) == "1");
    CHECK(found({"--generation", "2"}) == "4");
    CHECK(found({"--domain", "00000000-0000-7000-8000-000000000077"}) == "4");
    CHECK(found({"--key", "four"}) == "4");
    CHECK(found({"--due"}) == "12");
    CHECK(found({"--waiting"}) == "4");
    CHECK(found({"--older-than", "1h"}).empty());
    CHECK(found({"--newer-than", "1h"}) == "124");
    CHECK(events(desk, {"list", "--status", "in_flight"}).out == "no in_flight events\n");
}

TEST_CASE("cuebox events refuses what makes no sense, and names it", "[cuebox]")
{
    const desk desk;

    const auto domain = events(desk, {"list", "--domain", "acme"});
    const auto both = events(desk, {"list", "--due", "--waiting"});
    const auto settled = events(desk, {"list", "--due", "--status", "failed"});

    CHECK(domain.exit == 2);
    CHECK(says(domain.err, "--domain: \"acme\" is no domain: write its UUID"));
    CHECK(both.exit == 2);
    CHECK(says(both.err, "--due and --waiting exclude each other"));
    CHECK(settled.exit == 2);
    CHECK(says(settled.err, "--due and --waiting are about pending events"));
    CHECK(events(desk, {"list", "--status", "lost"}).exit == 2);
    CHECK(events(desk, {"list", "--newer-than", "soon"}).exit == 2);
    CHECK(events(desk, {"list", "--limit", "0"}).exit == 2);
    CHECK(events(desk, {"list", "--after", "7"}).exit == 1);
    CHECK(events(desk, {"show", "seven"}).exit == 2);
    const auto missing = events(desk, {"show", "00000000-0000-7000-8000-000000000009"});
    CHECK(missing.exit == 1);
    CHECK(says(missing.err, "no event 00000000-0000-7000-8000-000000000009 in the outbox"));
}

TEST_CASE("cuebox events show has all of an event, whatever its state", "[cuebox]")
{
    const desk desk;
    desk.query("select core.subscribe('mail', 1, '{order.placed}'), t.publish(1, target => null)");
    desk.query("select core.outbox_expand(1, '{order.placed}', 10, '-infinity', '-infinity')");
    desk.query("select t.publish(2); select core.outbox_claim('w@host', gen_random_uuid(), 1, "
               "'billing', '{order.placed}', null, 10, '-infinity', '-infinity')");
    desk.query("select t.publish(3)");

    const auto broadcast = events(desk, {"show", "00000000-0000-7000-8000-000000000001"});
    const auto claimed = events(desk, {"show", "00000000-0000-7000-8000-000000000002"});
    const auto pending = events(desk, {"show", "00000000-0000-7000-8000-000000000003"});

    INFO(broadcast.err);
    CHECK(says(broadcast.out, "status        delivered since 2"));
    CHECK(says(broadcast.out, "  for billing  generation 1  in_flight\n"));
    CHECK(says(broadcast.out, "  for mail  generation 1  pending\n"));
    CHECK(says(claimed.out, "status        in_flight since 2"));
    CHECK(says(claimed.out, "worker        w@host, claimed 2"));
    CHECK(says(claimed.out, "\"number\": 2"));
    CHECK(says(pending.out, "status        pending, cycle 1, 0 retries\n"));
    CHECK(says(pending.out, "due           2"));
}

TEST_CASE("lists of events fit the terminal, with whole ids", "[cuebox]")
{
    const desk desk;
    desk.query("select t.dead(4); select t.publish(1, repeat('類型', 20)), t.fail(1, E'Refused: "
               "\\x1b[31m' || "
               "repeat(E'\\u202Elong\\n', 500), repeat('handler', 30)); "
               "select t.publish(2, repeat('t', 255), repeat('b', 255)), t.publish(3)");

    for (const int columns : {80, 100, 160, 200})
        for (const auto* each : {"dlq list --limit 1", "events list --limit 1",
                                 "events list --status failed", "dlq list --group-by type"})
        {
            CAPTURE(columns, each);
            const auto shown = on_terminal(desk, columns, each);
            if (!says(each, "--group-by")) {
                CHECK(says(shown, "…"));
                CHECK(says(shown, "00000000-0000-7000-8000-00000000000"));
            }
            std::istringstream lines(shown);
            for (std::string line; std::getline(lines, line);) {
                CAPTURE(line);
                // Bytes that continue a letter take no room; 類 and 型 take two columns each.
                const auto letters = std::ranges::count_if(line, [](char byte) {
                    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
                });
                const auto wide =
                    std::ranges::count(line, '\xE9') + std::ranges::count(line, '\xE5');
                CHECK(letters + wide <= columns + 1); // The terminal adds a \r.
                CHECK_FALSE(says(line, "\x1b"));
            }
        }
}

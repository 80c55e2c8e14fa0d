#include "stage.hpp"
#include "waiting.hpp"

#include <cuebox/pg/resolve.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::detail;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;

namespace {

// Name servers that know good.example, know nothing of bad.example, and are silent about the rest
// for as long as the door is shut.
class names : public stage
{
public:
    auto lookup()
    {
        return [wait = gate.pass(), asked = asked](const std::string& host) mutable {
            asked.add();
            lookup_result result;
            if (host == "good.example")
                result.addresses = {"10.0.0.1", "10.0.0.2"};
            else if (host == "bad.example")
                result.failure = "unknown";
            else
                wait();
            return result;
        };
    }
    awaitable<std::vector<target>> find(std::vector<target> targets, clock::duration within)
    {
        return resolve(std::move(targets), clock::now() + 1h, within, lookup());
    }

    door gate;
    tally asked;
};

std::string print(const std::vector<target>& targets)
{
    std::string all;
    for (const target& each : targets)
        all += each.host + "|" + each.address + "|" + each.port + "|" + each.failure + "\n";
    return all;
}

}

TEST_CASE("names become their addresses, in order; what is no name stays", "[pg]")
{
    names names;

    const auto found = names.run(names.find({{.host = "/run/postgresql", .port = "1"},
                                             {.host = "good.example", .port = "2"},
                                             {.host = "bad.example", .port = "3"},
                                             {.host = "127.0.0.1", .port = "4"}},
                                            1h));

    REQUIRE(print(found) == "/run/postgresql||1|\n"
                            "good.example|10.0.0.1|2|\n"
                            "good.example|10.0.0.2|2|\n"
                            "bad.example||3|its name was not resolved: unknown\n"
                            "127.0.0.1||4|\n");
    REQUIRE(names.asked.count() == 2);
}

TEST_CASE("a name that hangs costs its time once, and the others are found", "[pg]")
{
    names names;

    const auto found = names.run(names.find({{.host = "hangs.example", .port = "1"},
                                             {.host = "hangs.too.example", .port = "2"},
                                             {.host = "good.example", .port = "3"}},
                                            50ms));

    REQUIRE(print(found) == "hangs.example||1|its name was not resolved: no answer in time\n"
                            "hangs.too.example||2|its name was not resolved: no answer in time\n"
                            "good.example|10.0.0.1|3|\n"
                            "good.example|10.0.0.2|3|\n");
}

TEST_CASE("a name that hangs leaves half of the time to the hosts that are found", "[pg]")
{
    names names;
    const auto deadline = clock::now() + 2s;

    names.run(resolve({{.host = "hangs.example"}}, deadline, 1h, names.lookup()));

    REQUIRE(clock::now() < deadline);
}

TEST_CASE("who looks up names that hang does not hold up others", "[pg]")
{
    names names;
    std::vector<task<std::vector<target>>> hanging;
    for (int i = 0; i < 4; ++i)
        hanging.push_back(names.start(names.find({{.host = "hangs.example"}}, 1h)));
    names.settle();
    names.asked.wait_for(4);

    REQUIRE(names.run(names.find({{.host = "good.example"}}, 1h)).size() == 2);

    names.gate.open();
    for (auto& each : hanging)
        names.finish(each);
}

TEST_CASE("a look-up that is cancelled holds up nobody, though it hangs on", "[pg]")
{
    names names;
    auto hanging = names.start(names.find({{.host = "hangs.example"}}, 1h));
    names.settle();
    names.asked.wait_for(1);

    hanging.cancel();

    REQUIRE(cancelled([&] { names.finish(hanging); }));
    names.context().restart();
    names.context().run_for(60s);
    REQUIRE(names.context().stopped());
}

TEST_CASE("an answer may come after the context that waited for it has gone", "[pg]")
{
    door door;
    tally answered;
    const auto lookup = [wait = door.pass(), answered](const std::string&) mutable {
        answered.add();
        wait();
        return lookup_result{.failure = "late"};
    };
    {
        stage doomed;
        auto waiting =
            doomed.start(resolve({{.host = "a.example"}}, clock::now() + 1h, 1h, lookup));
        doomed.settle();
        answered.wait_for(1);
    }

    door.open();

    stage next; // Where it was heard by nobody, the next one is.
    REQUIRE(
        next.run(resolve({{.host = "a.example"}}, clock::now() + 1h, 1h, lookup)).front().failure ==
        "its name was not resolved: late");
}

TEST_CASE("the system's own look-up finds localhost, and says why it does not find others", "[pg]")
{
    CHECK_FALSE(look_up("localhost").addresses.empty());
    const std::string overlong(300, 'x'); // No name server is asked about it.
    CHECK(look_up(overlong).addresses.empty());
    CHECK_FALSE(look_up(overlong).failure.empty());
}

#include "scene.hpp"
#include "support/tcp_gate.hpp"

#include <cuebox/pg/pool.hpp>
#include <cuebox/pg/transaction.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;
using cuebox::test::ending;
using cuebox::test::tcp_gate;
using cuebox::test::way;

namespace {

constexpr std::size_t goodbye = 5; // The last bytes the client sends: nobody waits for an answer.
constexpr statement insert{.name = "insert", .sql = "insert into t values ($1)"};

// A small conversation: in, one row, out.
awaitable<void> talk(pool& through)
{
    pool::borrowed held = co_await through.borrow();
    transaction work{*held};
    co_await work.execute(insert, 1);
    co_await work.commit();
}

bool is_expected(std::optional<errc> code)
{
    return code == errc::connect || code == errc::lost || code == errc::commit_unknown;
}

// Cuts the conversation after every so many bytes, until there is nothing left to cut.
void cut_everywhere(way which, std::size_t step)
{
    scene scene;
    scene.see("create table t(a int)");
    tcp_gate gate;
    auto options = scene.options_by(gate.port());
    options.conninfo += " sslmode=disable gssencmode=disable";
    {
        pool whole{{.connect = options, .rules = {.size = 1}}};
        scene.run(talk(whole));
    }
    REQUIRE(gate.wait_until_connections(0, 30s));
    const std::size_t all = gate.bytes(which);
    int committed = 1;
    int unknown = 0;
    for (std::size_t n = 0; n < all; n += step) {
        REQUIRE(gate.wait_until_connections(0, 30s));
        pool fresh{{.connect = options, .rules = {.size = 1}}};
        gate.cut_after(which, n, n % 2 ? ending::reset : ending::finish);

        const auto refused = refusal_of([&] { scene.run(talk(fresh)); });
        INFO("cut after " << n << " of " << all << " bytes: " << refused.what);
        const bool at_goodbye = which == way::up && n >= all - goodbye;
        CHECK((is_expected(refused.code) || (at_goodbye && !refused.code)));
        committed += !refused.code;
        unknown += refused.code == errc::commit_unknown;

        gate.pass();
        scene.run(talk(fresh));
        ++committed;
    }
    const int rows = std::stoi(scene.see("select count(*) from t"));
    CHECK(rows >= committed);
    CHECK(rows <= committed + unknown);
    CHECK(unknown > 0);
}

}

TEST_CASE("cut anywhere on the way up a conversation ends in a known way", "[pg]")
{
    cut_everywhere(way::up, 5);
}

TEST_CASE("cut anywhere on the way down a conversation ends in a known way", "[pg]")
{
    cut_everywhere(way::down, 7);
}

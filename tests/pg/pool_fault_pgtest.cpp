#include "scene.hpp"
#include "support/tcp_gate.hpp"

#include <cuebox/pg/pool.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;
using cuebox::test::tcp_gate;
using cuebox::test::way;

namespace {

constexpr statement one{.name = "one", .sql = "select 1"};

// A pool behind a gate, whose idle connections are all asked before they are lent.
class shop : public scene
{
public:
    pool_options of(std::size_t size, std::chrono::milliseconds each_check)
    {
        return {.connect = options_by(gate.port()),
                .rules = {.size = size, .check_after = 0ms},
                .borrow_deadline = 4s,
                .check_deadline = each_check};
    }
    // Opens so many, gives them back, and lets none of them through any more; new ones pass.
    void fill_with_silent(pool& pool, std::size_t count)
    {
        {
            std::vector<pool::borrowed> held;
            while (held.size() < count)
                held.push_back(run(pool.borrow()));
        }
        REQUIRE(pool.idle() == count);
        gate.stop_after(way::up, gate.bytes(way::up) / count, count);
    }
    // Whatever it asks the server stays on its way.
    task<pool::borrowed> borrow_without_answer(pool& pool)
    {
        gate.delay(way::down, 10min);
        const auto before = gate.bytes(way::up);
        auto borrowing = start(pool.borrow());
        REQUIRE(eventually([&] {
            settle();
            return gate.bytes(way::up) > before;
        }));
        return borrowing;
    }

    int ask(pool::borrowed& held) { return run(held->query_one<int>(one)); }

    tcp_gate gate;
};

}

TEST_CASE("the first idle connection without an answer speaks for the others", "[pg]")
{
    shop shop;
    pool pool(shop.of(5, 1s)); // One after the other they would outlast the borrower.
    shop.fill_with_silent(pool, 5);

    auto held = shop.run(pool.borrow());

    REQUIRE(shop.ask(held) == 1);
    REQUIRE(pool.open() == 1);
}

TEST_CASE("a check takes no longer than the borrower has", "[pg]")
{
    shop shop;
    auto options = shop.of(1, 10min);
    options.borrow_deadline = 2s;
    pool pool(options);
    shop.fill_with_silent(pool, 1);
    const auto start = clock::now();

    CHECK(refusal_of([&] { shop.run(pool.borrow()); }).code == errc::connect);

    CHECK(clock::now() < start + 30s);
    CHECK(pool.open() == 0);
}

TEST_CASE("a pool closed while it connects, or asks, lends nothing", "[pg]")
{
    shop shop;
    for (const bool idle : {false, true}) {
        pool pool(shop.of(1, 4s));
        if (idle)
            shop.run(pool.borrow());
        auto borrowing = shop.borrow_without_answer(pool);

        pool.close();
        shop.gate.pass();

        CHECK(refusal_of([&] { shop.finish(borrowing); }).what ==
              "no database connection became free: the pool was closed");
        CHECK(pool.open() == 0);
    }
}

TEST_CASE("a connection given back with a request to cancel under way is not lent again", "[pg]")
{
    shop shop;
    pool pool(shop.of(1, 4s));
    connection other = shop.open();
    const std::string key = std::to_string(other.backend());
    const std::string lock = "select pg_advisory_lock(" + key + ")";
    shop.run(other.run_script({.name = "lock", .sql = lock}));
    {
        auto held = shop.run(pool.borrow());
        auto waiting = shop.start(held->run_script({.name = "wait", .sql = lock}));
        shop.settle();
        REQUIRE(eventually([&shop] { return shop.waiting_for_lock(); }));
        const auto accepted = shop.gate.accepted();
        shop.gate.delay(way::up, 10min);
        held->canceller().request();
        REQUIRE(shop.gate.wait_until_accepted(accepted + 1, 30s));
        other.close(); // Before the request arrives the statement has ended.
        shop.finish(waiting);
        REQUIRE_FALSE(held->broken());
    }

    CHECK(pool.idle() == 0);
    shop.gate.cut();
}

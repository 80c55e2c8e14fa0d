#include "scene.hpp"

#include <cuebox/pg/pool.hpp>
#include <cuebox/pg/transaction.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;

namespace {

constexpr statement one{.name = "one", .sql = "select 1"};

class shop : public scene
{
public:
    pool_options of(std::size_t size)
    {
        return {.connect = options(), .rules = {.size = size}, .borrow_deadline = 30s};
    }
    int ask(pool::borrowed& held) { return run(held->query_one<int>(one)); }
};

}

TEST_CASE("a connection that was given back is lent again", "[pg]")
{
    shop shop;
    pool pool(shop.of(2));
    int backend = 0;
    {
        auto held = shop.run(pool.borrow());
        backend = held->backend();
        REQUIRE(pool.open() == 1);
        REQUIRE(pool.idle() == 0);
    }
    REQUIRE(pool.idle() == 1);

    auto again = shop.run(pool.borrow());

    REQUIRE(again->backend() == backend);
    REQUIRE(pool.open() == 1);
    REQUIRE(shop.ask(again) == 1);
}

TEST_CASE("no more are open than the pool's size, and those who wait are served in order", "[pg]")
{
    shop shop;
    pool pool(shop.of(2));
    std::optional first = shop.run(pool.borrow());
    std::optional second = shop.run(pool.borrow());
    std::vector<task<pool::borrowed>> waiting;
    for (int i = 0; i < 3; ++i)
        waiting.push_back(shop.start(pool.borrow()));
    shop.settle();
    REQUIRE(pool.waiting() == 3);
    REQUIRE(shop.backends() == 2);

    first.reset();
    std::optional third = shop.finish(waiting[0]);
    shop.settle();
    REQUIRE_FALSE(waiting[1].done());
    second.reset();
    third.reset();
    std::optional fourth = shop.finish(waiting[1]);
    std::optional fifth = shop.finish(waiting[2]);

    REQUIRE(pool.waiting() == 0);
    REQUIRE(pool.open() == 2);
    REQUIRE(shop.backends() == 2);
}

TEST_CASE("a warmed pool has its connections open before anybody borrows one", "[pg]")
{
    shop shop;
    pool pool(shop.of(3));
    std::optional lent = shop.run(pool.borrow());

    shop.run(pool.warm(2));
    REQUIRE(shop.backends() == 2);
    REQUIRE(pool.idle() == 1);
    lent.reset();
    shop.run(pool.warm(5));
    shop.run(pool.warm(1));

    REQUIRE(pool.idle() == 3);
    REQUIRE(shop.backends() == 3);
}

TEST_CASE("who waited too long is told how many there are and what to do", "[pg]")
{
    shop shop;
    auto options = shop.of(1);
    options.borrow_deadline = 50ms;
    pool pool(options);
    auto held = shop.run(pool.borrow());

    const auto refused = refusal_of([&] { shop.run(pool.borrow()); });

    REQUIRE(refused.code == errc::exhausted);
    REQUIRE(refused.what == "no database connection became free: all 1 are in use after 50 ms: "
                            "give them back sooner or raise the pool's size");
    REQUIRE(pool.waiting() == 0);
}

TEST_CASE("a cancelled waiter loses no place", "[pg]")
{
    shop shop;
    pool pool(shop.of(1));
    std::optional held = shop.run(pool.borrow());
    auto early = shop.start(pool.borrow());
    auto late = shop.start(pool.borrow());
    auto last = shop.start(pool.borrow());
    shop.settle();

    early.cancel();
    REQUIRE(cancelled([&] { shop.finish(early); }));
    held.reset();  // The place is now the second's,
    late.cancel(); // who goes before it has taken it.
    REQUIRE(cancelled([&] { shop.finish(late); }));

    auto lent = shop.finish(last);
    REQUIRE(shop.ask(lent) == 1);
    REQUIRE(pool.open() == 1);
}

TEST_CASE("a connection killed while idle is found out and replaced", "[pg]")
{
    shop shop;
    auto options = shop.of(1);
    options.rules.check_after = 0ms;
    pool pool(options);
    int backend = 0;
    {
        auto held = shop.run(pool.borrow());
        backend = held->backend();
    }
    shop.see("select pg_terminate_backend(" + std::to_string(backend) + ", 10000)");

    auto held = shop.run(pool.borrow());

    REQUIRE(held->backend() != backend);
    REQUIRE(shop.ask(held) == 1);
    REQUIRE(pool.open() == 1);
}

TEST_CASE("a connection killed while borrowed costs its borrower only", "[pg]")
{
    shop shop;
    pool pool(shop.of(1));
    {
        auto held = shop.run(pool.borrow());
        shop.see("select pg_terminate_backend(" + std::to_string(held->backend()) + ", 10000)");
        const auto refused = refusal_of([&] { shop.ask(held); });
        REQUIRE(refused.code == errc::lost);
        REQUIRE(refused.says("terminating connection due to administrator command"));
    }
    REQUIRE(pool.idle() == 0);

    auto next = shop.run(pool.borrow());
    REQUIRE(shop.ask(next) == 1);
}

TEST_CASE("an old connection is replaced", "[pg]")
{
    shop shop;
    auto options = shop.of(1);
    options.rules.lifetime = 0ms;
    pool pool(options);
    int backend = 0;
    {
        auto held = shop.run(pool.borrow());
        backend = held->backend();
    }
    REQUIRE(pool.open() == 0);

    REQUIRE(shop.run(pool.borrow())->backend() != backend);
}

TEST_CASE("a connection given back inside a transaction is not lent again", "[pg]")
{
    shop shop;
    pool pool(shop.of(1));
    {
        auto held = shop.run(pool.borrow());
        transaction work{*held};
        shop.run(work.execute(one));
    }
    {
        auto held = shop.run(pool.borrow());
        shop.run(held->run_script({.name = "begin", .sql = "begin"}));
    }
    REQUIRE(pool.idle() == 0);

    auto next = shop.run(pool.borrow());
    REQUIRE_FALSE(next->in_transaction());
    REQUIRE(shop.ask(next) == 1);
}

TEST_CASE("a connection that listens is not lent again", "[pg]")
{
    shop shop;
    pool pool(shop.of(1));
    {
        auto held = shop.run(pool.borrow());
        shop.run(held->listen("news"));
    }

    REQUIRE(pool.idle() == 0);
    auto fresh = shop.run(pool.borrow());
    REQUIRE(shop.ask(fresh) == 1);
}

TEST_CASE("a borrower's deadline goes with the borrower", "[pg]")
{
    shop shop;
    pool pool(shop.of(1));
    {
        auto held = shop.run(pool.borrow());
        held->set_deadline(1ms);
    }

    REQUIRE(shop.run(pool.borrow())->deadline() == shop.options().statement_deadline);
}

TEST_CASE("a closed pool lends no more; what is lent is closed when it comes back", "[pg]")
{
    shop shop;
    pool pool(shop.of(2));
    std::optional held = shop.run(pool.borrow());
    shop.run(pool.borrow());
    std::optional other = shop.run(pool.borrow());
    auto waiting = shop.start(pool.borrow());
    shop.settle();

    pool.close();

    CHECK(refusal_of([&] { shop.finish(waiting); }).what ==
          "no database connection became free: the pool was closed");
    CHECK(refusal_of([&] { shop.run(pool.borrow()); }).code == errc::exhausted);
    CHECK(shop.ask(*held) == 1);
    held.reset();
    other.reset();
    CHECK(pool.open() == 0);
    CHECK(eventually([&shop] { return shop.backends() == 0; }));
}

TEST_CASE("a borrowed connection outlives its pool", "[pg]")
{
    shop shop;
    std::optional<pool> pool(std::in_place, shop.of(1));
    auto held = shop.run(pool->borrow());

    pool.reset();

    REQUIRE(shop.ask(held) == 1);
}

TEST_CASE("those who wait may vanish with their context before the pool does", "[pg]")
{
    shop shop;
    pool pool(shop.of(1));
    auto held = shop.run(pool.borrow());
    {
        stage doomed;
        auto waiting = doomed.start(pool.borrow());
        doomed.settle();
        REQUIRE(pool.waiting() == 1);
    }

    REQUIRE(pool.waiting() == 0);
    pool.close();
}

TEST_CASE("a borrowed connection can be moved and replaced", "[pg]")
{
    shop shop;
    pool pool(shop.of(2));
    auto first = shop.run(pool.borrow());
    auto second = shop.run(pool.borrow());
    const int kept = second->backend();

    first = std::move(second);

    REQUIRE(first->backend() == kept);
    REQUIRE(pool.idle() == 1);
    REQUIRE(shop.ask(first) == 1);
}

TEST_CASE("a canceller of an earlier borrower does not hit the next one", "[pg]")
{
    shop shop;
    pool pool(shop.of(1));
    std::optional<canceller> kept;
    {
        auto held = shop.run(pool.borrow());
        kept = held->canceller();
    }
    auto held = shop.run(pool.borrow());
    auto dozing = shop.start(held->execute({.name = "doze", .sql = "select pg_sleep(0.3)"}));
    shop.settle();

    kept->request();

    REQUIRE_NOTHROW(shop.finish(dozing));
}

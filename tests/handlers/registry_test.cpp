#include "handlers/arrivals.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

using namespace cuebox;
using namespace cuebox::handlers::test;

namespace {

using lines = std::vector<std::string>;

awaitable<void> say(lines& all, delivery<order_placed> order)
{
    all.push_back("order " + std::to_string(order->number));
    if (order->number < 0)
        throw terminal_error("no such order");
    co_return;
}

awaitable<void> around(lines& all, std::string name, next_step next)
{
    all.push_back(name + " begins");
    try {
        co_await next();
    }
    catch (const std::exception& error) {
        all.push_back(name + " sees " + error.what());
        throw;
    }
    all.push_back(name + " ends");
}

awaitable<void> refuse(handling::arrival event)
{
    throw std::runtime_error("not for " + event.envelope->event_type);
    co_return;
}

middleware named(lines& all, std::string name)
{
    return [&all, name](const handling::arrival&, next_step next) {
        return around(all, name, std::move(next));
    };
}

registry orders(lines& all)
{
    registry made;
    made.on<order_placed>(
        "shop.orders", [&all](delivery<order_placed> order) { return say(all, std::move(order)); });
    return made;
}

awaitable<void> within(delivery<order_placed>, pg::transaction&)
{
    co_return;
}

}

TEST_CASE("the first middleware is the outermost, around handlers added before and after it",
          "[handlers]")
{
    lines all;
    auto handlers = orders(all);
    handlers.use(named(all, "a")).use(named(all, "b"));
    handlers.on<order_placed>(
        "shop.later", [&all](delivery<order_placed> order) { return say(all, std::move(order)); });
    const lines expected{"a begins", "b begins", "order 7", "b ends", "a ends"};

    for (const char* name : {"shop.orders", "shop.later"}) {
        all.clear();
        call(handlers.find(name).value(), arrive(R"({"number": 7})"));
        CHECK(all == expected);
    }
}

TEST_CASE("a middleware sees what the handler throws, a payload of another shape too", "[handlers]")
{
    lines all;
    auto handlers = orders(all);
    handlers.use(named(all, "a"));

    CHECK_THROWS_AS(call(handlers.take().front(), arrive(R"({"number": -1})")), terminal_error);
    CHECK_THROWS_AS(call(handlers.take().front(), arrive("{}")), event::payload_error);

    CHECK(all == lines{"a begins", "order -1", "a sees no such order", "a begins",
                       "a sees /number: required, but missing"});
}

TEST_CASE("a middleware that does not go on keeps the handler from running", "[handlers]")
{
    lines all;
    auto handlers = orders(all);
    handlers.use([](const handling::arrival& event, const next_step&) { return refuse(event); });

    CHECK_THROWS_WITH(call(handlers.take().front(), arrive(R"({"number": 7})")),
                      "not for order.placed");

    CHECK(all.empty());
}

TEST_CASE("middleware changes nothing else of a handler", "[handlers]")
{
    lines all;
    registry handlers;
    handlers.on<order_placed>("shop.bill", &within, {.retry = {.max_retries = 2}});
    handlers.use(named(all, "a"));

    const auto made = handlers.take().front();

    CHECK(made.transactional());
    CHECK(made.name == "shop.bill");
    CHECK(made.retry.max_retries == 2);
}

TEST_CASE("a registry finds handlers by name and gives all of them, again and again", "[handlers]")
{
    lines all;
    auto handlers = orders(all);
    handlers.on<order_placed>("shop.bill", &within);
    handlers.on_any("shop.raw", {"a", "b"}, [](delivery<raw_payload>) -> awaitable<void> {
        throw std::logic_error("never called");
    });

    CHECK(handlers.names() == lines{"shop.orders", "shop.bill", "shop.raw"});
    CHECK(handlers.take().size() == 3);
    CHECK(handlers.take().size() == 3);
    CHECK(handlers.find("shop.bill")->transactional());
    CHECK(handlers.find("shop.raw")->event_types == lines{"a", "b"});
    CHECK_FALSE(handlers.find("shop").has_value());
}

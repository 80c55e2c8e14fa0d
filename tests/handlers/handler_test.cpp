#include "handlers/arrivals.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::handlers::test;

namespace {

awaitable<void> mail(delivery<order_placed>)
{
    co_return;
}
awaitable<void> bill(delivery<order_placed>, pg::transaction&)
{
    co_return;
}
awaitable<void> keep(std::vector<std::string>& seen, delivery<raw_payload> event)
{
    seen.push_back(event.envelope().event_type + " " + event.payload());
    co_return;
}
awaitable<void> add(std::int64_t& sum, delivery<order_placed> order)
{
    sum += order->number;
    co_return;
}

awaitable<void> add_later(std::int64_t& sum, const delivery<order_placed>& order)
{
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::post(executor, asio::use_awaitable);
    sum += order->number;
}

struct either
{
    awaitable<void> operator()(delivery<order_placed> order) const
    {
        return mail(std::move(order));
    }
    awaitable<void> operator()(delivery<order_placed> order, pg::transaction& work) const
    {
        return bill(std::move(order), work);
    }
};
struct says_when
{
    int operator()(delivery<order_placed>) const { return 0; }
};
struct not_const
{
    awaitable<void> operator()(delivery<order_placed> order) { return mail(std::move(order)); }
};

}

// Which signature is which is known to the compiler…
static_assert(leased_handler<decltype(&mail), order_placed>);
static_assert(!transactional_handler<decltype(&mail), order_placed>);
static_assert(transactional_handler<decltype(&bill), order_placed>);
static_assert(!leased_handler<decltype(&bill), order_placed>);
static_assert(transactional_handler<either, order_placed> && leased_handler<either, order_placed>);
// …and what is none, too.
static_assert(!handler_of<decltype(&mail), raw_payload>);
static_assert(!handler_of<says_when, order_placed>);
static_assert(!handler_of<not_const, order_placed>);

TEST_CASE("the signature of a handler picks its delivery", "[handlers]")
{
    CHECK_FALSE(make_handler<order_placed>("shop.mail", &mail).transactional());
    CHECK(make_handler<order_placed>("shop.bill", &bill).transactional());
    // Whoever can have exactly once has it.
    CHECK(make_handler<order_placed>("shop.either", either{}).transactional());
}

TEST_CASE("a handler of a payload listens for the type that the payload states", "[handlers]")
{
    const auto one = make_handler<order_placed>("shop.mail", &mail);
    const auto other = make_handler<order_placed>("shop.mail", {"order.changed"}, &mail);

    CHECK(one.name == "shop.mail");
    CHECK(one.event_types == std::vector<std::string>{"order.placed"});
    CHECK(other.event_types == std::vector<std::string>{"order.changed"});
}

TEST_CASE("a handler's options come with it", "[handlers]")
{
    const auto made =
        make_handler<order_placed>("shop.mail", &mail,
                                   {.retry = {.max_retries = 2},
                                    .timeout = std::chrono::seconds(3),
                                    .terminal = [](const std::exception&) { return true; }});

    CHECK(made.retry.max_retries == 2);
    CHECK(made.timeout == std::chrono::seconds(3));
    CHECK(made.terminal(std::runtime_error("x")));
}

TEST_CASE("a handler gets its payload decoded, and what is wrong with it is its failure",
          "[handlers]")
{
    std::int64_t sum = 0;
    const auto made = make_handler<order_placed>(
        "shop.sum", [&sum](delivery<order_placed> order) { return add(sum, std::move(order)); });

    call(made, arrive(R"({"number": 3, "more": true})"));
    call(made, arrive(R"({"number": 4})"));

    CHECK(sum == 7);
    CHECK_THROWS_AS(call(made, arrive(R"({"number": "x"})")), event::payload_error);
}

TEST_CASE("an event that a handler takes by reference is there for as long as it runs",
          "[handlers]")
{
    std::int64_t sum = 0;
    const auto by_reference =
        make_handler<order_placed>("billing.sum", [&sum](const delivery<order_placed>& order) {
            return add_later(sum, order);
        });
    const auto generic = make_handler<order_placed>(
        "billing.sum", [&sum](const auto& order) { return add_later(sum, order); });

    call(by_reference, arrive(R"({"number": 7})"));
    call(generic, arrive(R"({"number": 5})"));

    CHECK(sum == 12);
}

TEST_CASE("a handler of raw payloads gets the text, of whatever type", "[handlers]")
{
    std::vector<std::string> seen;
    const auto made =
        make_handler<raw_payload>("shop.any", {"a", "b"}, [&seen](delivery<raw_payload> event) {
            return keep(seen, std::move(event));
        });

    call(made, arrive("{ }", "a"));
    call(made, arrive("not even JSON", "b"));

    CHECK(seen == std::vector<std::string>{"a { }", "b not even JSON"});
}

TEST_CASE("what comes with an event reaches the handler", "[handlers]")
{
    auto arrived = arrive("{\"number\": 1}");
    arrived.attempt = 3;
    arrived.claim_token = event::new_event_id();
    const delivery<order_placed> order{arrived};

    CHECK(order.attempt() == 3);
    CHECK(order.claim_token() == arrived.claim_token);
    CHECK(order.event_id() == arrived.envelope->event_id);
    CHECK((*order).number == 1);
    CHECK(order.payload().number == 1);
    CHECK_FALSE(order.stop().stop_requested());
}

#include "handlers/arrivals.hpp"

#include <cuebox/handlers/actor_handler.hpp>
#include <cuebox/handling/run_handler.hpp>
#include <cuebox/runtime/stage.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::handlers::test;
using namespace std::chrono_literals;

namespace {

// Keeps a total; what it does with an order is told by the order's number.
struct ledger
{
    using messages = cuebox::messages<handle<order_placed>>;

    explicit ledger(std::int64_t& sum) : total(sum) {}

    awaitable<void> run(self<messages>& me)
    {
        std::vector<request<handle<order_placed>>> unanswered;
        while (auto message = co_await me.receive()) {
            auto& order = std::get<request<handle<order_placed>>>(*message);
            const auto number = order->event->number;
            if (number == 0)
                order.reply(not_handled{.reason = "not now"});
            else if (number == -1)
                order.reply(not_handled{
                    .reason = "never", .terminal = true, .error_class = "out_of_range"});
            else if (number == -2)
                throw std::runtime_error("fell over");
            else if (number == -3)
                unanswered.push_back(std::move(order));
            else {
                total += number;
                order.reply(handled{});
            }
        }
    }

    std::int64_t& total;
};

struct scene
{
    scene()
    {
        app.start();
        stage.run_until_idle();
    }

    // What became of it: "done", or "retry …" or "dead …".
    std::string result(std::int64_t number)
    {
        auto event = arrive("{\"number\": " + std::to_string(number) + "}");
        const auto ended = stage.run(handling::run_handler(handler, std::move(event), nullptr));
        if (ended.succeeded())
            return "done";
        return (ended.failure->terminal ? "dead " : "retry ") + ended.failure->reason;
    }

    std::int64_t total = 0;
    cuebox::stage stage;
    tree app{stage.loop(), "app"};
    address<ledger::messages> whom = app.add<ledger>("ledger", std::ref(total));
    handling::handler handler =
        make_actor_handler<order_placed>("shop.ledger", stage.loop(), whom, {.timeout = 2s});
};

}

TEST_CASE("an actor handles events with a state of its own", "[handlers]")
{
    scene scene;

    CHECK(scene.result(3) == "done");
    CHECK(scene.result(4) == "done");

    CHECK(scene.total == 7);
    CHECK_FALSE(scene.handler.transactional());
    CHECK(scene.handler.event_types == std::vector<std::string>{"order.placed"});
    scene.stage.stop(scene.app);
}

TEST_CASE("an actor refuses an event for now or for good", "[handlers]")
{
    scene scene;

    CHECK(scene.result(0) == "retry not_handled: not now");
    CHECK(scene.result(-1) == "dead out_of_range: never");
    scene.stage.stop(scene.app);
}

TEST_CASE("an actor that fails over an event has failed it, and handles the next one", "[handlers]")
{
    scene scene;

    CHECK(scene.result(-2).starts_with("retry "));
    scene.stage.advance(1s);

    CHECK(scene.result(5) == "done");
    scene.stage.stop(scene.app);
}

TEST_CASE("an actor that does not answer in time has failed the event", "[handlers]")
{
    scene scene;
    auto event = arrive("{\"number\": -3}");
    std::optional<handling::handler_result> ended;

    asio::co_spawn(scene.stage.loop().executor(),
                   handling::run_handler(scene.handler, std::move(event), nullptr),
                   [&ended](std::exception_ptr, handling::handler_result result) {
                       ended = std::move(result);
                   });
    scene.stage.run_until_idle();
    CHECK_FALSE(ended);
    scene.stage.advance(2s);

    REQUIRE(ended);
    CHECK_FALSE(ended->succeeded());
    CHECK_FALSE(ended->failure->terminal);
    scene.stage.stop(scene.app);
}

TEST_CASE("an actor that is not there has failed the event", "[handlers]")
{
    scene scene;
    scene.stage.stop(scene.app);

    CHECK(scene.result(1).starts_with("retry "));
}

// The code that the README shows, as it shows it.
#include <cuebox/runtime/stage.hpp>

#include <boost/asio/io_context.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;

namespace {

struct add
{
    int n;
};
struct get_total
{
    using reply = int;
};

struct counter
{
    using messages = cuebox::messages<add, get_total>;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        int total = 0;
        while (auto message = co_await me.receive()) {
            if (auto* added = std::get_if<add>(&*message))
                total += added->n;
            else
                std::get<cuebox::request<get_total>>(*message).reply(total);
        }
    }
};

cuebox::awaitable<void> use(cuebox::loop& loop, cuebox::address<counter::messages> counter_at,
                            cuebox::tree& app, int& total)
{
    co_await counter_at.send(add{5});
    total = co_await cuebox::ask(loop, counter_at, get_total{}, 1s);
    app.stop();
}

}

TEST_CASE("the README's counter counts, on an io_context and the real clock")
{
    boost::asio::io_context context;
    cuebox::loop loop{context.get_executor()};
    cuebox::tree app{loop, "app"};
    auto counter_at = app.add<counter>("counter");
    app.start();
    REQUIRE(counter_at.try_send(add{5}) == cuebox::sent::accepted);

    int total = 0;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, use(loop, counter_at, app, total),
                          [&](std::exception_ptr error) { failure = error; });
    context.run();

    REQUIRE_FALSE(failure);
    REQUIRE(total == 10);
    REQUIRE(app.has_ended());
}

TEST_CASE("the README's counter counts on the stage")
{
    cuebox::stage stage;
    cuebox::tree app{stage.loop(), "app"};
    auto counter_at = app.add<counter>("counter");
    app.start();

    (void)counter_at.try_send(add{5});

    REQUIRE(stage.ask(counter_at, get_total{}) == 5);
    stage.advance(5s);
    stage.stop(app);
}

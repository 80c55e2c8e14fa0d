#include <cuebox/runtime/stage.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;

namespace {
struct add
{
    int n;
};
struct total
{
    using reply = int;
};
struct counter
{
    using messages = cuebox::messages<add, total>;
    int sum = 0;
    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        while (auto m = co_await me.receive()) {
            if (auto* a = std::get_if<add>(&*m)) {
                if (a->n < 0)
                    throw std::runtime_error("negative");
                sum += a->n;
            }
            else
                std::get<cuebox::request<total>>(*m).reply(sum);
        }
    }
};
}
TEST_CASE("first")
{
    cuebox::stage stage;
    cuebox::tree app{stage.loop(), "app"};
    auto c = app.add<counter>("counter");
    app.start();
    for (int i = 1; i <= 1000; ++i)
        REQUIRE(c.try_send(add{i}) == cuebox::sent::accepted);
    REQUIRE(stage.ask(c, total{}) == 500500);
    REQUIRE(c.try_send(add{-1}) == cuebox::sent::accepted);
    stage.advance(1s);
    REQUIRE(stage.ask(c, total{}) == 0);
    puts(cuebox::to_string(app.snapshot()).c_str());
    REQUIRE(stage.stop(app).kind == cuebox::exit_kind::stopped);
}

#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct ball
{
    int hits;
};

// Throws the ball to the other, and fails at every seventh hit.
struct player
{
    using messages = cuebox::messages<ball>;
    address<messages>* other;
    lines* log;
    std::string name;
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            const int hits = std::get<ball>(*message).hits + 1;
            log->push_back(name + ' ' + std::to_string(hits) + " at " +
                           std::to_string(me.now().time_since_epoch().count()));
            if (hits < 200)
                (void)other->try_send(ball{hits});
            if (hits % 7 == 0)
                throw std::runtime_error("dropped it");
        }
    }
};

lines match(std::uint64_t seed, bool two_loops)
{
    stage stage(seed);
    cuebox::loop& second = two_loops ? stage.add_loop() : stage.loop();
    lines log;
    supervisor_options options;
    options.strategy = strategy::one_for_all;
    options.intensity.restarts = intensity::unlimited;
    tree app{stage.loop(), "app", options};
    app.report_to([&log](const report& each) {
        log.push_back(std::string(to_string(each.what)) + ' ' + each.path + ' ' + each.detail);
    });
    address<player::messages> left, right;
    left = app.add<player>("left", &right, &log, std::string("left"));
    right =
        app.add<player>("right", child_options{.loop = &second}, &left, &log, std::string("right"));
    app.start();
    (void)left.try_send(ball{0});
    stage.advance(30min);
    stage.stop(app);
    return log;
}

struct timer_log
{
    using messages = cuebox::messages<add>;
    std::vector<std::pair<int, time_point>>* rung;
    awaitable<void> run(self<messages>& me)
    {
        me.after(3s, add{3});
        me.after(1s, add{1});
        me.after(2s, add{2});
        while (auto message = co_await me.receive())
            rung->emplace_back(std::get<add>(*message).number, me.now());
    }
};

}

TEST_CASE("the same seed gives the same run, failures and jitter included")
{
    const lines first = match(42, false);
    const lines second = match(42, false);
    const lines other = match(43, false);

    REQUIRE(std::count_if(first.begin(), first.end(), [](const std::string& line) {
                return line.starts_with("failed");
            }) == 28);
    REQUIRE(first == second);
    REQUIRE(first != other);
}

TEST_CASE("a run over two loops of a stage is the same every time too")
{
    const lines first = match(42, true);
    const lines second = match(42, true);

    REQUIRE(first.size() > 200);
    REQUIRE(first == second);
}

TEST_CASE("time stops at each timer on the way")
{
    stage stage;
    std::vector<std::pair<int, time_point>> rung;
    tree app{stage.loop(), "app"};
    app.add<timer_log>("a", &rung);
    app.start();
    stage.run_until_idle();
    const time_point began = stage.now();

    stage.advance(10s);

    REQUIRE(rung == std::vector<std::pair<int, time_point>>{
                        {1, began + 1s}, {2, began + 2s}, {3, began + 3s}});
    REQUIRE(stage.now() == began + 10s);
    stage.stop(app);
}

TEST_CASE("nothing happens between the calls")
{
    stage stage;
    std::vector<int> seen;
    tree app{stage.loop(), "app"};
    const auto whom = app.add<adder>("a", &seen);
    app.start();
    stage.run_until_idle();

    REQUIRE(whom.try_send(add{1}) == sent::accepted);
    REQUIRE(seen.empty());
    stage.run_until_idle();

    REQUIRE(seen == std::vector{1});
    REQUIRE(stage.run_until_idle() == 0);
    stage.stop(app);
}

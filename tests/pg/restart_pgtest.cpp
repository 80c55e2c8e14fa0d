#include "scene.hpp"

#include <cuebox/embedded/server.hpp>
#include <cuebox/pg/pool.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;

namespace {

constexpr statement one{.name = "one", .sql = "select 1"};
constexpr statement nap{.name = "nap", .sql = "select pg_sleep(600)"};

}

TEST_CASE("a server that stops and starts again is found again", "[pg]")
{
    cuebox::embedded::server server{{.settings = {{"fsync", "off"}}}};
    stage stage;
    pool pool{
        {.connect = {.conninfo = server.conninfo()}, .rules = {.size = 1, .check_after = 0ms}}};
    auto held = std::optional(stage.run(pool.borrow()));
    auto napping = stage.start((*held)->execute(nap));
    stage.settle();

    server.halt();
    CHECK(refusal_of([&] { stage.finish(napping); }).code == errc::lost);
    held.reset();
    const auto refused = refusal_of([&] { stage.run(pool.borrow()); });
    CHECK(refused.code == errc::connect);
    CHECK(refused.says("No such file or directory"));

    server.restart();
    held = stage.run(pool.borrow());
    CHECK(stage.run((*held)->query_one<int>(one)) == 1);
    held.reset();

    server.kill(); // This time while it was idle.
    server.restart();
    held = stage.run(pool.borrow());
    CHECK(stage.run((*held)->query_one<int>(one)) == 1);
}

#include "scene.hpp"

#include <cuebox/pg/copy_in.hpp>
#include <cuebox/pg/pool.hpp>

#include <catch2/catch_test_macros.hpp>

#include <filesystem>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;

namespace {

constexpr statement insert{.name = "insert", .sql = "insert into t values ($1, $2)"};
constexpr statement copy{.name = "copy", .sql = "copy t from stdin (format binary)"};

awaitable<void> work_on(connection& link)
{
    co_await link.listen("cancel_everywhere");
    pipeline batch;
    batch.add(insert, 1, "a");
    batch.end_segment();
    batch.add(insert, 2, std::string(1'000, 'b'));
    const auto outcomes = co_await link.run(std::move(batch));
    outcomes.back().get();

    transaction work{link};
    co_await work.execute(insert, 3, "c");
    savepoint part = co_await work.savepoint();
    co_await work.execute(insert, 4, "d");
    co_await part.rollback();
    copy_in rows = co_await copy_in::start(work, copy);
    for (int i = 0; i < 3; ++i) {
        const std::string large(50'000, 'x'); // Every second one is sent.
        co_await rows.write(i, large);
    }
    co_await rows.finish();
    co_await work.commit();
    co_await link.next_notification(1ms);
}

// All that waits, one after the other.
awaitable<void> script(pool_options options)
{
    pool pool(options);
    pool::borrowed held = co_await pool.borrow();
    co_await work_on(*held);
    {
        const pool::borrowed given_back = std::move(held);
    }
    pool::borrowed again = co_await pool.borrow(); // It is asked whether it still works.
}

std::ptrdiff_t open_descriptors()
{
    using iterator = std::filesystem::directory_iterator;
    return std::distance(iterator("/proc/self/fd"), iterator());
}

// Cancels at the step-th event; whether there was one.
bool cancel_at(const pool_options& options, int step)
{
    stage stage;
    auto running = stage.start(script(options));
    for (int i = 0; i < step && !running.done(); ++i)
        stage.context().run_one_for(60s);
    const bool reached = !running.done();
    running.cancel();
    if (reached)
        CHECK(cancelled([&] { stage.finish(running); }));
    else
        stage.finish(running);

    stage.context().restart();
    stage.context().run_for(60s);
    CHECK(stage.context().stopped()); // Nothing is left to wait for.
    return reached;
}

}

TEST_CASE("cancelling at every suspension point leaks nothing", "[pg]")
{
    scene scene;
    scene.see("create table t(a int, b text)");
    const pool_options options{.connect = scene.options(),
                               .rules = {.size = 1, .check_after = 0ms},
                               .borrow_deadline = 60s};
    cancel_at(options, 1); // What is opened once and for all is open now.
    const auto descriptors = open_descriptors();

    int step = 0;
    while (cancel_at(options, step)) {
        // The request to stop the statement has a socket of its own for a moment.
        CHECK(eventually([descriptors] { return open_descriptors() <= descriptors; }));
        ++step;
        REQUIRE(step < 10'000);
    }

    CHECK(step > 20);
    CHECK(eventually([&scene] { return scene.backends() == 0; }));
    CHECK(eventually([descriptors] { return open_descriptors() <= descriptors; }));
}

TEST_CASE("dropping the context at every suspension point leaks nothing", "[pg]")
{
    scene scene;
    scene.see("create table t(a int, b text)");
    const pool_options options{.connect = scene.options(),
                               .rules = {.size = 1, .check_after = 0ms},
                               .borrow_deadline = 60s};
    cancel_at(options, 1);
    const auto descriptors = open_descriptors();

    bool reached = true;
    for (int step = 0; reached; ++step) {
        stage stage;
        auto running = stage.start(script(options));
        for (int i = 0; i < step && !running.done(); ++i)
            stage.context().run_one_for(60s);
        reached = !running.done();
    }

    CHECK(eventually([&scene] { return scene.backends() == 0; }));
    CHECK(eventually([descriptors] { return open_descriptors() <= descriptors; }));
}

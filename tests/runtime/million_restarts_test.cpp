#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct job
{
    int number;
};

// What one actor has seen over all its lives. Jobs are numbered; every one must come, in order,
// once.
struct record
{
    int next = 0;
    int out_of_order = 0;
    int failures = 0;
    int lives = 0;
};

// Fails on every other job, after it has taken note of it.
struct fragile
{
    using messages = cuebox::messages<job>;
    record* seen;

    explicit fragile(record* seen_) : seen(seen_) { ++seen->lives; }

    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            const int number = std::get<job>(*message).number;
            if (number != seen->next++)
                ++seen->out_of_order;
            if (number % 2 == 1) {
                ++seen->failures;
                throw std::runtime_error("odd");
            }
        }
    }
};

// Keeps the mailboxes of some fragile actors filled until there were `failures` failures in all.
void keep_restarting(strategy which, std::size_t children, int failures)
{
    stage stage;
    supervisor_options options;
    options.strategy = which;
    options.intensity.restarts = intensity::unlimited;
    options.backoff = {.base = 1us, .multiplier = 1, .cap = 1us};
    tree app{stage.loop(), "app", options};
    app.report_to(nobody_listens());
    std::vector<record> records(children);
    std::vector<address<fragile::messages>> actors;
    std::vector<int> sent_to(children, 0);
    for (std::size_t i = 0; i < children; ++i)
        actors.push_back(app.add<fragile>("fragile-" + std::to_string(i),
                                          child_options{.capacity = 64}, &records[i]));
    const int each_max = 2 * failures / static_cast<int>(children);
    app.start();

    for (bool more = true; std::exchange(more, false);) {
        for (std::size_t i = 0; i < children; ++i)
            for (; sent_to[i] < each_max; ++sent_to[i], more = true)
                if (actors[i].try_send(job{sent_to[i]}) != sent::accepted)
                    break;
        stage.advance(1ms);
        for (const record& each : records)
            more = more || each.next < each_max;
    }

    int failed = 0;
    int lives = 0;
    for (const record& each : records) {
        REQUIRE(each.out_of_order == 0);
        REQUIRE(each.next == each_max);
        failed += each.failures;
        lives += each.lives;
    }
    REQUIRE(failed == failures);
    REQUIRE(lives >= failures);
    REQUIRE(stage.stop(app).kind == exit_kind::stopped);
}

}

TEST_CASE("a million restarts one for one lose and repeat no message", "[million]")
{
    keep_restarting(strategy::one_for_one, 4, 1'000'000);
}

TEST_CASE("a million restarts one for all lose and repeat no message", "[million]")
{
    keep_restarting(strategy::one_for_all, 4, 1'000'000);
}

TEST_CASE("a million restarts rest for one lose and repeat no message", "[million]")
{
    keep_restarting(strategy::rest_for_one, 4, 1'000'000);
}

#pragma once

#include <cuebox/runtime/ask.hpp>
#include <cuebox/runtime/tree.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <deque>
#include <optional>

namespace cuebox {

// A place to run actors in tests: one thread, a clock that the test moves, the same order every
// time.
//
//     cuebox::stage stage;
//     cuebox::tree app{stage.loop(), "app"};
//     auto counter = app.add<counter_actor>("counter");
//     app.start();
//     stage.run_until_idle();
//     stage.advance(5s);
//
// Nothing happens between the calls. Real I/O does not belong here: the stage does not wait for it.
class stage
{
public:
    explicit stage(std::uint64_t seed = 1);

    cuebox::loop& loop() noexcept { return loops_.front(); }

    // Another loop on the same thread and clock, for trees that span several.
    cuebox::loop& add_loop();

    time_point now() const noexcept { return clock_.now(); }

    // Runs everything that can run without time passing; the number of handlers run.
    std::size_t run_until_idle();

    // Lets time pass, stopping at each timer on the way and running until idle there.
    void advance(duration by);

    // Runs a coroutine to its end and gives its result; time stands still. Throws what it throws,
    // and std::logic_error when it is still waiting once nothing else can run.
    template <class T>
    T run(awaitable<T> work)
    {
        std::optional<std::exception_ptr> outcome;
        if constexpr (std::is_void_v<T>) {
            spawn(std::move(work), [&](std::exception_ptr error) { outcome = error; });
            finish(outcome);
        }
        else {
            std::optional<T> result;
            asio::co_spawn(loop().executor(), std::move(work),
                           [&](std::exception_ptr error, T value) {
                               outcome = error;
                               if (!error)
                                   result.emplace(std::move(value));
                           });
            finish(outcome);
            return std::move(*result);
        }
    }

    // Asks an actor and runs until it has answered.
    template <class Set, askable_of<Set> M>
    auto ask(const address<Set>& whom, M message, duration deadline = std::chrono::seconds(5))
    {
        return run(cuebox::ask(loop(), whom, std::move(message), deadline));
    }

    // Stops the tree and lets time pass until it has ended.
    exit_reason stop(tree& tree);

private:
    template <class Handler>
    void spawn(awaitable<void> work, Handler handler)
    {
        asio::co_spawn(loop().executor(), std::move(work), std::move(handler));
    }
    void finish(const std::optional<std::exception_ptr>& outcome);
    std::optional<time_point> next_timer() const noexcept;
    void request_turns();

    manual_clock clock_;
    asio::io_context context_{1};
    std::uint64_t seed_;
    std::deque<cuebox::loop> loops_;
};

}

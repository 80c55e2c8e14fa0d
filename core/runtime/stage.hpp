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
        // Shared, because a coroutine that this call gives up on may still end later.
        struct result
        {
            std::optional<std::exception_ptr> outcome;
            std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> value;
        };
        const auto end = std::make_shared<result>();
        if constexpr (std::is_void_v<T>) {
            asio::co_spawn(loop().executor(), std::move(work),
                           [end](std::exception_ptr error) { end->outcome = error; });
            finish(end->outcome);
        }
        else {
            asio::co_spawn(loop().executor(), std::move(work),
                           [end](std::exception_ptr error, T value) {
                               end->outcome = error;
                               if (!error)
                                   end->value.emplace(std::move(value));
                           });
            finish(end->outcome);
            return std::move(*end->value);
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
    void finish(const std::optional<std::exception_ptr>& outcome);
    std::optional<time_point> next_timer() const noexcept;
    void request_turns();

    manual_clock clock_;
    asio::io_context context_{1};
    std::uint64_t seed_;
    std::deque<cuebox::loop> loops_;
};

}

#pragma once

#include <cuebox/handlers/registry.hpp>
#include <cuebox/runtime/tree.hpp>

#include <cstddef>
#include <functional>

namespace cuebox::worker {

// One thread of a worker, as a program of one's own furnishes it: its handlers, and the actors that
// some of them are.
//
// A worker has as many threads as its config says (`threads`, 1 unless given), and each is
// furnished by a call of its own, one after the other, before anything runs. An actor added here
// lives on that thread: with several threads there are several, and each gets the events that its
// thread takes. To have one for the whole process, add it when `thread()` is 0 and keep its address
// for the others: an address works from every thread.
//
// Actors start before the contexts, and stop when all contexts have ended. An actor that fails is
// restarted; if that happens too often the worker gives up, as it does for a context.
class setup
{
public:
    setup(cuebox::loop& loop, cuebox::tree& tree, registry& handlers, std::size_t thread,
          std::size_t threads) noexcept
        : loop_(loop),
          tree_(tree),
          handlers_(handlers),
          thread_(thread),
          threads_(threads)
    {}

    // The loop of the thread: contexts, their handlers and the actors of tree() take turns on it.
    cuebox::loop& loop() const noexcept { return loop_; }
    cuebox::tree& tree() const noexcept { return tree_; }
    // What the config can name.
    registry& handlers() const noexcept { return handlers_; }

    // Which one this is, from 0, and how many there are.
    std::size_t thread() const noexcept { return thread_; }
    std::size_t threads() const noexcept { return threads_; }

private:
    cuebox::loop& loop_;
    cuebox::tree& tree_;
    registry& handlers_;
    std::size_t thread_;
    std::size_t threads_;
};

// What a program brings to a worker. It is also called for --check, which starts nothing: it adds,
// and connects to nobody.
using equipment = std::function<void(setup&)>;

// The same handlers on every thread.
equipment equip_with(registry handlers);

}

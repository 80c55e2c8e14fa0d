#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/loop_watch.hpp>

#include <atomic>
#include <memory>

namespace cuebox::actors {

// What is done while a loop stands still, by how long it has. Pure.
class stall_course
{
public:
    struct step
    {
        bool say = false;
        bool vouch = false;
    };

    explicit stall_course(duration lease) : lease_(lease) {}

    // At once and then each time it has lasted twice as long it is said. The worker is vouched for
    // three times a lease, and every few seconds, until a lease is over: who blocks for longer than
    // that has lost its rows to others.
    step at(duration lasted);

private:
    duration lease_;
    duration say_at_{};
    duration vouch_at_{};
};

// Watches the loop of a context. When it stands still this says so, with the handler and the event
// whose turn does not end, counts it, and tells the database from another thread that the worker
// lives, so that its rows stay its own.
class stall_watch
{
public:
    // The company's loop; it must outlive the watch.
    stall_watch(company_ptr company, const loop& whose, std::function<bool()> has_ended);

private:
    struct state;
    std::shared_ptr<state> state_;
    loop_watch watch_;
};

}

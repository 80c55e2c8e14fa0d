#pragma once

#include <cuebox/runtime/clock.hpp>

#include <cstddef>

namespace cuebox {

class loop;

// When a supervisor restarts a child that has ended.
enum class restart
{
    permanent, // always
    transient, // only when it failed
    temporary, // never
};

struct child_options
{
    // When to restart it.
    cuebox::restart restart = cuebox::restart::permanent;
    // How long its start() may take before it counts as failed.
    duration start_deadline = std::chrono::seconds(5);
    // How long it may take to stop before it is cancelled; once more as long, and it is reported
    // stuck.
    duration stop_deadline = std::chrono::seconds(5);
    // How many messages may wait in its mailbox.
    std::size_t capacity = 1024;
    // Where it runs; its parent's loop unless set.
    cuebox::loop* loop = nullptr;
};

}

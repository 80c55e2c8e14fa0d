#pragma once

#include <chrono>
#include <poll.h>

namespace cuebox::test {

// For what changes out of our reach and tells nobody, such as another process's files: looks every
// few milliseconds. True once it is so, false when the time is up. Where there is something to wait
// on, wait on that.
template <class Predicate>
bool eventually(Predicate holds, std::chrono::milliseconds longest = std::chrono::seconds{30})
{
    const auto until = std::chrono::steady_clock::now() + longest;
    while (!holds()) {
        if (std::chrono::steady_clock::now() >= until)
            return false;
        ::poll(nullptr, 0, 5);
    }
    return true;
}

}

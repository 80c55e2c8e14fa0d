#pragma once

#include <chrono>

namespace cuebox::policy {

// Whether other contexts listen for the same events, so that broadcasts have to become rows of
// their own before they are claimed. Most often nobody does, and then to look for broadcasts with
// every claim is in vain: who was alone believes it for a while. A context that comes to listen
// looks for itself, so nothing waits for those who do not know of it yet.
class sharing
{
public:
    using time = std::chrono::nanoseconds; // Of a clock that only goes forward.
    static constexpr std::chrono::seconds believed_for{2};

    // Whether to look for broadcasts now.
    bool likely(time now) const noexcept { return shared_ || now >= ask_again_; }
    void learn(bool shared, time now) noexcept
    {
        shared_ = shared;
        ask_again_ = now + believed_for;
    }

private:
    bool shared_ = true;
    time ask_again_{};
};

}

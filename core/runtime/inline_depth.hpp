#pragma once

namespace cuebox::detail {

// How deep this thread is in awaits that completed without suspending. Asio resumes a coroutine
// from inside the operation it awaits, so each such await nests one level deeper until the
// coroutine really waits. The limit bounds the stack and, being a cap on how many messages an actor
// handles in one go, keeps its neighbours' turns coming.
class inline_depth
{
public:
    static constexpr int max = 64;

    static bool exhausted() noexcept { return depth_ >= max; }

    inline_depth() noexcept { ++depth_; }
    ~inline_depth() { --depth_; }
    inline_depth(const inline_depth&) = delete;
    inline_depth& operator=(const inline_depth&) = delete;

private:
    static inline constinit thread_local int depth_ = 0;
};

}

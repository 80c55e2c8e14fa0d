#pragma once

#include <cuebox/runtime/awaitable.hpp>

#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <vector>

namespace cuebox::actors::test {

// What a test holds a statement or a handler up with. On one thread, without time passing.
class gate
{
public:
    void close() noexcept { closed_ = true; }
    // Lets everybody pass who waits, also when it is closed again at once.
    void open();

    // Returns at once while it is open. Cancelled, it throws as Asio does.
    awaitable<void> pass();

    std::size_t waiting() const noexcept { return bells_.size(); }

private:
    bool closed_ = false;
    // They never ring: opening cancels them.
    std::vector<std::shared_ptr<asio::steady_timer>> bells_;
};

}

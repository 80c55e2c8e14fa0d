#pragma once

#include <chrono>
#include <cstddef>

namespace cuebox::pg {

struct pool_rules
{
    // Connections open at once, borrowed and idle together.
    std::size_t size = 8;
    // Idle for longer, a connection is asked whether it still works before it is lent.
    std::chrono::milliseconds check_after{10'000};
    // Older connections are replaced, so that a failover or a new password is taken up.
    std::chrono::milliseconds lifetime{30 * 60 * 1'000};
};

namespace detail {

// What is known of a connection that comes back, or is about to be lent.
struct connection_facts
{
    bool broken = false;
    bool in_transaction = false;
    bool listening = false; // Its next borrower would hear what it never asked for.
    // A request to stop it is under way, which could hit its next borrower's statement.
    bool cancelling = false;
    std::chrono::nanoseconds age{};
    std::chrono::nanoseconds idle{};
};

enum class verdict
{
    use,
    check,
    discard
};

// Pure decisions of the pool.
verdict when_returned(const connection_facts& facts, const pool_rules& rules);
verdict when_lent(const connection_facts& facts, const pool_rules& rules);

}

}

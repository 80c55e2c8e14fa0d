#pragma once

#include <cuebox/handling/arrival.hpp>
#include <cuebox/policy/retry_policy.hpp>
#include <cuebox/runtime/awaitable.hpp>

#include <exception>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace cuebox::pg {
class connection;
class transaction;
}

namespace cuebox::handling {

// Leased: the effect is outside the database, at least once.
using leased_call = std::function<awaitable<void>(arrival)>;
// Transactional: the effect commits with the acknowledgement, exactly once.
using transactional_call = std::function<awaitable<void>(arrival, pg::transaction&)>;

// Looks whether the database takes what the handler will ask of it, and throws what is wrong.
using start_check = std::function<awaitable<void>(pg::connection&)>;

// A handler, whatever it was made from.
struct handler
{
    // Scope-qualified, such as "billing.send_invoice": dedup records carry it.
    std::string name{};
    std::vector<std::string> event_types{};
    std::variant<leased_call, transactional_call> call{};
    retry_policy retry{};
    // How long it may run, if it is leased; zero is as long as it likes.
    duration timeout{};
    // Errors of the handler's own for which trying again is pointless.
    std::function<bool(const std::exception&)> terminal{};
    // It knows by itself what is done: dedup records neither keep it from an event nor are written
    // for it. Leased, and one for each type of event.
    bool own_gate = false;
    // For a worker to call before it starts, and before it takes over another config. May be empty.
    start_check check{};

    bool transactional() const noexcept { return call.index() == 1; }
};

}

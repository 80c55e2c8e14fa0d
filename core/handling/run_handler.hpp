#pragma once

#include <cuebox/handling/handler.hpp>

#include <optional>

namespace cuebox::handling {

// How a run of a handler ended.
struct handler_result
{
    // None: it succeeded, or it was told to stop.
    std::optional<policy::failure> failure{};
    // It ended because it was told to: neither success nor failure.
    bool cancelled = false;

    bool succeeded() const noexcept { return !failure && !cancelled; }
};

// Runs it. `within` is for transactional ones, null for the others; it must outlive the call, as
// must the handler and what arrives, which is taken. Whatever the handler throws ends here: nowhere
// else is it caught.
awaitable<handler_result> run_handler(const handler& what, arrival&& with, pg::transaction* within);

// Why it failed, class first, and whether trying again is pointless: it is after payload errors,
// terminal_error, what the database refuses for good, and what the handler says of its own.
policy::failure classify(const std::exception_ptr& thrown, const handler& by);

}

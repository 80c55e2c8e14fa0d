#pragma once

#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/telemetry/log.hpp>

#include <exception>
#include <string_view>

namespace cuebox::actors {

// The database is away, or will not have it: said, and lived with until it is back. Being cancelled
// is not trouble, and goes on up.
inline void note_trouble(const telemetry::logger& log, std::string_view who,
                         const std::exception& error)
{
    if (cuebox::detail::is_cancellation(std::current_exception()))
        throw;
    log.warning("trouble with the database",
                {{"actor", who}, {"error", std::string_view(error.what())}});
}

}

#pragma once

#include <cuebox/pg/socket.hpp>

#include <optional>

namespace cuebox::pg::detail {

// What PQflush's answer asks for: nothing when all is sent, else to wait for both directions, since
// a server that cannot get rid of its answers reads no questions. Negative means a broken
// connection, which the next look at the results reports.
constexpr std::optional<interest> after_flush(int answer)
{
    return answer > 0 ? std::optional(interest::read_or_write) : std::nullopt;
}

}

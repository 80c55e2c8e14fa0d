#pragma once

#include <cuebox/runtime/clock.hpp>
#include <cuebox/telemetry/log.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cuebox::actors {

// Keeps an outage from filling a log: every actor says the same every second for as long as it
// lasts, and one line in half a minute, with how often it was so, says as much.
class trouble_book
{
public:
    static constexpr std::chrono::seconds quiet_for{30};

    // Different troubles that are kept apart; beyond that it starts over.
    static constexpr std::size_t entries_max = 100;

    // None: the same was said lately. Else how often it has happened since it was said last.
    std::optional<std::uint64_t> note(std::string_view who, std::string_view what, time_point now);

private:
    struct entry
    {
        time_point said_at{};
        std::uint64_t since = 0;
    };
    std::map<std::string, entry> entries_;
};

// The database is away, or will not have it: said, and lived with until it is back. Being cancelled
// is not trouble, and goes on up. To be called from a catch.
void note_trouble(const telemetry::logger& log, trouble_book& book, std::string_view who,
                  const std::exception& error);

}

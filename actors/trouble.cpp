#include "trouble.hpp"

#include <cuebox/runtime/cancellation.hpp>

namespace cuebox::actors {

std::optional<std::uint64_t> trouble_book::note(std::string_view who, std::string_view what,
                                                time_point now)
{
    if (entries_.size() >= entries_max)
        entries_.clear();
    const auto [at, fresh] =
        entries_.try_emplace(std::string(who).append(": ").append(what), entry{});
    const bool known = !fresh;
    ++at->second.since;
    if (known && now - at->second.said_at < quiet_for)
        return std::nullopt;
    at->second.said_at = now;
    return std::exchange(at->second.since, 0);
}

void note_trouble(const telemetry::logger& log, trouble_book& book, std::string_view who,
                  const std::exception& error)
{
    if (cuebox::detail::is_cancellation(std::current_exception()))
        throw;
    if (const auto times = book.note(who, error.what(), system_clock().now()))
        log.warning("trouble with the database",
                    {{"actor", who}, {"error", std::string_view(error.what())}, {"times", *times}});
}

}

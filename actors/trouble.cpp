#include "trouble.hpp"

#include <cuebox/runtime/cancellation.hpp>

namespace cuebox::actors {

std::optional<std::uint64_t> trouble_book::note(std::string_view who, time_point now)
{
    auto at = entries_.find(who);
    const bool known = at != entries_.end();
    if (!known)
        at = entries_.emplace(who, entry{}).first;
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
    if (const auto times = book.note(who, system_clock().now()))
        log.warning("trouble with the database",
                    {{"actor", who}, {"error", std::string_view(error.what())}, {"times", *times}});
}

}

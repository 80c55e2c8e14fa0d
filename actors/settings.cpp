#include "settings.hpp"

namespace cuebox::actors {

namespace {

using std::chrono::milliseconds;
using fault = std::pair<std::string_view, std::string_view>;

constexpr std::size_t workers_max = 100'000;
constexpr std::size_t lanes_max = 256;
constexpr std::size_t offload_threads_max = 1'024;
constexpr std::size_t batch_most = 100'000;
// core.outbox_reap takes a worker for dead whose session is gone and who was silent for so long.
constexpr std::chrono::seconds silence_max{5};
constexpr std::chrono::hours reconnect_most{1};

std::optional<fault> find_wrong_size(const settings& rules)
{
    if (rules.workers < 1 || rules.workers > workers_max)
        return fault{"workers", "must be from 1 to 100000"};
    if (rules.lanes < 1 || rules.lanes > lanes_max)
        return fault{"lanes", "must be from 1 to 256"};
    if (rules.offload_threads < 1 || rules.offload_threads > offload_threads_max)
        return fault{"offload_threads", "must be from 1 to 1024"};
    if (rules.claim.batch_min < 1 || rules.claim.batch_min > batch_most)
        return fault{"batch_min", "must be from 1 to 100000"};
    if (rules.claim.batch_max < rules.claim.batch_min || rules.claim.batch_max > batch_most)
        return fault{"batch_max", "must be from batch_min to 100000"};
    return std::nullopt;
}

std::optional<fault> find_wrong_time(const settings& rules)
{
    const std::pair<std::string_view, std::chrono::nanoseconds> clocks[] = {
        {"batch_time", rules.claim.batch_time},
        {"lease", rules.lease},
        {"safety_poll", rules.safety_poll},
        {"poll", rules.poll},
        {"heartbeat", rules.heartbeat},
        {"reconnect_base", rules.reconnect.base},
        {"reap", rules.reap},
        {"gauge", rules.gauge},
        {"sweep", rules.sweep},
        {"mark_after", rules.mark_after}};
    for (const auto& [name, every] : clocks)
        if (every < milliseconds(1))
            return fault{name, "must be at least 1ms"};
    if (rules.stop_deadline < milliseconds(0))
        return fault{"stop_deadline", "must not be negative"};
    if (rules.careful < milliseconds(0))
        return fault{"careful", "must not be negative"};
    return std::nullopt;
}

}

std::optional<std::pair<std::string_view, std::string_view>> find_fault(const settings& rules)
{
    if (const auto wrong = find_wrong_size(rules))
        return wrong;
    if (const auto wrong = find_wrong_time(rules))
        return wrong;
    if (rules.heartbeat >= silence_max)
        return fault{"heartbeat", "must be below 5s: a worker that is silent for longer may be "
                                  "taken for dead"};
    if (rules.lease <= rules.heartbeat)
        return fault{"lease", "must be longer than heartbeat: behind a pooler a worker that is "
                              "silent for a lease is taken for dead"};
    if (rules.reconnect.cap < rules.reconnect.base || rules.reconnect.cap > reconnect_most)
        return fault{"reconnect_cap", "must be from reconnect_base to 1h"};
    return std::nullopt;
}

}

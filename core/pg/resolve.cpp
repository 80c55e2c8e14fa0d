#include <cuebox/pg/resolve.hpp>

#include <algorithm>
#include <optional>

namespace cuebox::pg::detail {

awaitable<std::vector<target>> resolve(std::vector<target> targets, clock::time_point deadline,
                                       clock::duration each_within, lookup::function how)
{
    const auto now = clock::now();
    const auto until = now + std::min(each_within, (deadline - now) / 2);
    std::vector<std::optional<lookup>> asked(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i)
        if (targets[i].needs_lookup())
            asked[i].emplace(targets[i].host, how);

    std::vector<target> resolved;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (!asked[i]) {
            resolved.push_back(targets[i]);
            continue;
        }
        const lookup_result found = co_await asked[i]->answer(until);
        for (const std::string& address : found.addresses)
            resolved.push_back(
                {.host = targets[i].host, .address = address, .port = targets[i].port});
        if (found.addresses.empty()) {
            resolved.push_back(targets[i]);
            resolved.back().failure = "its name was not resolved: " + found.failure;
        }
    }
    co_return resolved;
}

}

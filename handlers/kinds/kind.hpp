#pragma once

#include <cuebox/config/node.hpp>
#include <cuebox/handlers/handler.hpp>

#include <span>
#include <string_view>

namespace cuebox::handlers {

// What a config says of a handler of any kind.
struct kind_base
{
    std::string name{};
    std::vector<std::string> event_types{};
    handler_options options{};
};

// The keys that every handler of a config has; what its kind takes stands beside them.
inline constexpr std::string_view handler_keys[] = {"name", "kind", "events", "retry", "timeout"};

// A handler that needs no C++: made from a config.
struct kind
{
    std::string_view name;
    // Throws config::error, naming the path, for what it cannot take.
    handling::handler (*make)(kind_base base, const config::node& from);
    // What it listens for when the config does not say; empty: the config has to.
    std::string_view event_type{};
};

std::span<const kind> stock_kinds() noexcept;
const kind* find_kind(std::string_view name) noexcept;

handling::handler make_sql(kind_base base, const config::node& from);
handling::handler make_webhook(kind_base base, const config::node& from);
handling::handler make_exec(kind_base base, const config::node& from);
handling::handler make_log(kind_base base, const config::node& from);
handling::handler make_agent_tasks(kind_base base, const config::node& from);

}

#pragma once

#include <cuebox/config/node.hpp>
#include <cuebox/config/read.hpp>
#include <cuebox/runtime/supervisor.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox {

// One place in a tree, as a value: an actor of a registered kind, or a supervisor with children.
struct child_spec
{
    // Its name among its siblings; with a count, "worker" becomes "worker-1", "worker-2", …
    std::string name;

    // An actor: which registered kind, and what that kind takes.
    std::string kind{};
    config::node params{};
    // How many of it.
    std::size_t count = 1;
    // How many messages may wait in its mailbox.
    std::size_t capacity = child_options{}.capacity;
    // How long its start() may take.
    duration start_deadline = child_options{}.start_deadline;

    // A supervisor: its children, in the order in which they start…
    std::vector<child_spec> children{};
    // …which of them a failure takes along…
    cuebox::strategy strategy = cuebox::strategy::one_for_one;
    // …how many restarts it tolerates…
    cuebox::intensity intensity{};
    // …and how long it waits before each.
    cuebox::backoff backoff{};

    // Either: when its supervisor restarts it (actors: always; supervisors: when they failed), how
    // long it may take to stop, and the name of the loop it runs on, its parent's unless given.
    std::optional<cuebox::restart> restart{};
    std::optional<duration> stop_deadline{};
    std::string loop{};

    bool is_supervisor() const noexcept { return kind.empty(); }

    static constexpr std::string_view required[] = {"name"};
};

// Reads a tree from JSON with comments. `source` leads the messages of config::error.
child_spec parse_tree(std::string_view text, std::string_view source);

}

template <>
struct cuebox::config::enum_names<cuebox::strategy>
{
    static constexpr std::pair<std::string_view, cuebox::strategy> values[] = {
        {"one_for_one", cuebox::strategy::one_for_one},
        {"one_for_all", cuebox::strategy::one_for_all},
        {"rest_for_one", cuebox::strategy::rest_for_one},
    };
};

template <>
struct cuebox::config::enum_names<cuebox::restart>
{
    static constexpr std::pair<std::string_view, cuebox::restart> values[] = {
        {"permanent", cuebox::restart::permanent},
        {"transient", cuebox::restart::transient},
        {"temporary", cuebox::restart::temporary},
    };
};

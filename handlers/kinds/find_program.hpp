#pragma once

#include <cuebox/config/node.hpp>

#include <string>
#include <vector>

namespace cuebox::handlers {

// Empty, or why the program cannot be run: it is looked for as run_child() does, by its path or in
// the PATH of this process.
std::string why_not_runnable(const std::string& program);

// Refuses a command of a config, at `key` of `from`, that is empty or whose program cannot be run.
void check_command(const config::node& from, std::string_view key,
                   const std::vector<std::string>& command);

}

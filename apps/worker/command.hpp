#pragma once

#include <cuebox/cli/command.hpp>
#include <cuebox/worker/setup.hpp>

#include <string>

namespace cuebox::worker {

// Describes the arguments of a worker to `command`; what it returns runs the worker once they are
// parsed. `version` is the program's.
cli::action add_arguments(CLI::App& command, equipment equip, std::string version);

}

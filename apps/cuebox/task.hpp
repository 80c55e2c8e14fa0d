#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// `cuebox task create|list|show|approve|reject|cancel`: agent tasks.
void add_task(CLI::App& app, action& chosen);

}

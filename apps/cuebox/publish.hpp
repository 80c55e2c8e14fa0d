#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox publish: one event from its arguments, or many from NDJSON on stdin.
void add_publish(CLI::App& app, action& chosen);

}

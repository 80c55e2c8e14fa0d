#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox sweep: retention, once.
void add_sweep(CLI::App& app, action& chosen);

}

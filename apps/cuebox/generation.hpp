#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox generation allocate|list|retire: deployments. cuebox drain: moves what one left behind.
void add_generation(CLI::App& app, action& chosen);
void add_drain(CLI::App& app, action& chosen);

}

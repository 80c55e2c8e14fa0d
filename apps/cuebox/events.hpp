#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox events list|show: events in any state.
void add_events(CLI::App& app, action& chosen);

}

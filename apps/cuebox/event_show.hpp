#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// `show ID`: all of one event, in any state. The same for `cuebox events` and `cuebox dlq`.
void add_event_show(CLI::App& parent, action& chosen);

}

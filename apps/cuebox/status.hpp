#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox status: how the outbox is, once or for as long as somebody watches.
void add_status(CLI::App& app, action& chosen);

}

#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox migrate: brings the schema up to date, or tells where it stands.
void add_migrate(CLI::App& app, action& chosen);

}

#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox url: how to reach the database with other programs.
void add_url(CLI::App& app, action& chosen);

}

#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

void add_worker(CLI::App& app, action& chosen);

}

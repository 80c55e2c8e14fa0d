#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox demo: the whole thing on a private Postgres, in less than a minute.
void add_demo(CLI::App& app, action& chosen);

}

#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox bench drain, cuebox bench latency: what this machine and this Postgres can do.
void add_bench(CLI::App& app, action& chosen);

}

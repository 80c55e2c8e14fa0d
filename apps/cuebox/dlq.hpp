#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox dlq list|show|replay|discard: dead letters.
void add_dlq(CLI::App& app, action& chosen);

}

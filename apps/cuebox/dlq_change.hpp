#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox dlq replay and cuebox dlq discard: by ids, by filters, or all; bulk with a confirmation.
void add_dlq_replay(CLI::App& dlq, action& chosen);
void add_dlq_discard(CLI::App& dlq, action& chosen);

}

#pragma once

#include <cuebox/cli/command.hpp>

namespace CLI {
class App;
}

namespace cuebox::cli {

// cuebox contracts snapshot|check: keeps what programs promise about their events, and tells when a
// promise is about to be broken.
void add_contracts(CLI::App& app, action& chosen);

}

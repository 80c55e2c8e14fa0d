#pragma once

#include "child_process.hpp"

#include <cuebox/policy/error_class.hpp>

namespace cuebox::handlers {

// Why a program that did not succeed failed. Its class is what it said first on stderr, up to a
// colon; of a Python traceback, what it said last. A program that said nothing has "exited with 65"
// or was "ended by signal 9". The message names the program, how it ended, and the rest of what it
// said.
policy::headline describe(const std::string& program, const child_outcome& ended);

}

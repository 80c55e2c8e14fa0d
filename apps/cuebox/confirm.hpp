#pragma once

#include <string>

namespace cuebox::cli {

// Who asks, for the record: user@host of this process.
std::string who_am_i();

// Asks on the terminal whether to go on with "replay 12 dead letters to generation 7". True: go on.
// With `yes` nobody is asked; where nobody can be, that is missing, and a usage_error.
bool confirm(const std::string& what, bool yes);

}

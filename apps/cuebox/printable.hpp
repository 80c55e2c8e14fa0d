#pragma once

#include <cuebox/event/printable.hpp>

namespace cuebox::cli {

// For whatever a command prints that came from the database, or from anybody.
using event::printable;
using event::printable_lines;

}

#pragma once

#include <cuebox/telemetry/exposition.hpp>

namespace cuebox::telemetry {

// What the operating system knows of this process, by the names that every Prometheus client has
// for it. What cannot be read is left out.
void print_process(exposition& out);

}

#pragma once

#include <cstdint>

namespace bench {

// Heap allocations made so far by every thread of this process, whichever library made them. Exact
// once the threads concerned have been joined or have published their last message to the caller.
std::uint64_t allocations();

}

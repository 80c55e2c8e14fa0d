#pragma once

#include <string>

namespace cuebox::pg {

// A hint that something happened. Its payload is whatever the sender wrote: never trust it.
struct notification
{
    std::string channel{};
    std::string payload{};
    int backend{}; // The server process that sent it.
};

}

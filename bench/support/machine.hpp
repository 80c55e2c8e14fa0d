#pragma once

#include <string>

namespace bench {

// Where the figures were taken: they mean nothing elsewhere.
struct machine
{
    std::string processor;
    unsigned cores = 0;
    std::string compiler;
};

machine this_machine();

}

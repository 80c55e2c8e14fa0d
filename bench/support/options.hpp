#pragma once

#include "suite.hpp"

#include <string>
#include <vector>

namespace bench {

struct options
{
    int repeat = 5;     // measured repetitions, after one warm-up
    bool quick = false; // a tenth of the messages, three repetitions: a look, not a result
    std::vector<std::string> only; // workloads to run, all when empty
    std::string json_path;         // "-" is stdout, and the table then goes to stderr
    std::string data_path;         // medians as gnuplot reads them
};

// Prints help or what is wrong and ends the process, as CLI11 does, unless there is something to
// run.
options parse_options(const suite& suite, int argc, char** argv);

}

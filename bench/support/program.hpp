#pragma once

#include "goal.hpp"
#include "suite.hpp"

#include <string_view>

namespace bench {

// The main of every benchmark: parse, run, print the table and the goals, write the files. A missed
// goal is a finding, not a failure; the exit status is non-zero only when a case or a file fails.
int run_program(const suite& suite, std::string_view home, judge_function judge, int argc,
                char** argv);

}

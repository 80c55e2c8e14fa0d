#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

using environment = std::vector<std::pair<std::string, std::string>>;

// Runs a program to its end and gives what it printed. Found as the shell finds it; throws, with
// what it said on stderr, when it is not there or does not end with 0.
std::string run_child(const std::vector<std::string>& command, const environment& added = {});

}

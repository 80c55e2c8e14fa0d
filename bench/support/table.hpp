#pragma once

#include "goal.hpp"
#include "result.hpp"

#include <iosfwd>

namespace bench {

// For people, 100 columns: a row per workload and system, then the notes, then the goals.
// `home` is the system whose lead over each peer is shown.
void print_table(std::ostream& out, const suite& suite, const results& all, std::string_view home);
void print_goals(std::ostream& out, const std::vector<goal>& goals);

}

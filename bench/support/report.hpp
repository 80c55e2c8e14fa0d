#pragma once

#include "goal.hpp"
#include "options.hpp"
#include "result.hpp"

#include <iosfwd>

namespace bench {

// For machines: every sample, so that others may compute another figure than the median.
void write_json(std::ostream& out, const suite& suite, const options& options, const results& all,
                const std::vector<goal>& goals);

// For gnuplot: a comment saying where and how, then a line per workload and a column per system.
void write_data(std::ostream& out, const suite& suite, const options& options, const results& all);

}

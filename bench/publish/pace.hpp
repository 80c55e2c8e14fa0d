#pragma once

#include "../support/suite.hpp"

namespace bench::publish {

// The case, shortened to about a second by how fast it was the last time: what a flush costs
// differs a hundredfold between disks, and on one disk with what others do to it.
bench_case paced(bench_case whole);

}

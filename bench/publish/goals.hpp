#pragma once

#include "../support/goal.hpp"

namespace bench::publish {

// What Cuebox claims about publishing, judged by the medians of this very run.
std::vector<goal> judge(const results& all);

}

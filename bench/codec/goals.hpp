#pragma once

#include "../support/goal.hpp"

namespace bench::codec {

// What Cuebox claims about its codec, judged by the medians of this very run.
std::vector<goal> judge(const results& all);

}

#pragma once

#include "../support/goal.hpp"

namespace bench::mailbox {

// What Cuebox claims about its mailbox, judged by the medians of this very run.
std::vector<goal> judge(const results& all);

}

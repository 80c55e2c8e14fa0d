#pragma once

#include "result.hpp"

#include <string>
#include <vector>

namespace bench {

enum class verdict
{
    met,
    missed,
    not_measured
};

struct goal
{
    std::string text;
    verdict reached = verdict::not_measured;
    std::string figure; // the numbers this rests on
};

using judge_function = std::vector<goal> (*)(const results& all);

const char* name_of(verdict reached);

}

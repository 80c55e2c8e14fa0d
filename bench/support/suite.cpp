#include "suite.hpp"

#include <algorithm>

namespace bench {

std::vector<std::string> suite::workloads() const
{
    std::vector<std::string> names;
    for (const auto& each : cases_)
        if (std::ranges::find(names, each.workload) == names.end())
            names.push_back(each.workload);
    return names;
}

}

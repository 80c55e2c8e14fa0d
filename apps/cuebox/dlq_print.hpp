#pragma once

#include <cuebox/operations/dead_letters.hpp>

namespace cuebox::cli {

// For people; --json has its own way.
void print_dlq_page(const operations::dlq_page& page);
void print_dlq_groups(const std::vector<operations::dlq_group>& groups,
                      operations::dlq_grouping by);

}

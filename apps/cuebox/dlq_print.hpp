#pragma once

#include <cuebox/operations/dead_letter_detail.hpp>
#include <cuebox/operations/dead_letters.hpp>

namespace cuebox::cli {

// For people; --json has its own way.
void print_dlq_page(const operations::dlq_page& page);
void print_dlq_groups(const std::vector<operations::dlq_group>& groups,
                      operations::dlq_grouping by);
void print_dlq_event(const operations::dlq_event_detail& event);
// Where to find them, if there are any.
void print_failed_copies(event::uuid of, std::int64_t count);

}

#pragma once

#include <cuebox/operations/events.hpp>

namespace cuebox::cli {

// For people; --json has its own way.
void print_events_page(const operations::event_page& page, operations::event_status status);

}

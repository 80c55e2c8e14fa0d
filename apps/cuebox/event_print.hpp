#pragma once

#include <cuebox/operations/event_detail.hpp>

#include <iosfwd>

namespace cuebox::cli {

// All of one event, for people: the payload indented, the lines of an error kept, times in UTC.
void print_event(std::ostream& out, const operations::event_detail& event);
// Where to find them, if there are any.
void print_failed_copies(std::ostream& out, event::uuid of, std::int64_t count);

}

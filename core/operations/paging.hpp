#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

// What all lists that are read page by page share.
namespace cuebox::operations::detail {

// Where a page ended: the time that the list is ordered by, and the id, of its last row.
struct place
{
    std::optional<event::timestamp> at{};
    std::optional<event::uuid> id{};
};

std::string print_place(event::timestamp at, event::uuid id);
// Nothing for an empty text; an error for what is no place, in a list of `what`.
place parse_place(std::string_view text, std::string_view what);

// Longer ago than anything happened is still a time.
event::timestamp before(event::timestamp now, std::chrono::microseconds age);

}

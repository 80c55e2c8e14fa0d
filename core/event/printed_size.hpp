#pragma once

#include <cstddef>
#include <string_view>

namespace cuebox::event {

// How long a JSON text may become when Postgres prints it from jsonb, which is what the outbox's
// limit measures: a blank after each comma and colon, and 1e5 written out. Never too low. The text
// has to be JSON.
std::size_t printed_size(std::string_view json);

// Throws a payload_error when it is more than payload_max.
void check_printed_size(std::string_view json);

}

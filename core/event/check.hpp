#pragma once

#include <cuebox/event/limits.hpp>

#include <string_view>

namespace cuebox::event {

// Accepts a text exactly when it can be an event's payload: a JSON object that Postgres takes as
// jsonb, within payload_max and depth_max, no key twice in one object. Throws a payload_error that
// names the place otherwise. For payloads that come as text; encode checks what it writes.
void check_payload(std::string_view json);

// The same for any JSON value and any size.
void check_json(std::string_view json, std::size_t depth_limit = depth_max);

}

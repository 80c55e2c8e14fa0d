#pragma once

#include <boost/uuid/uuid.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cuebox::event {

using uuid = boost::uuids::uuid;

// A UUIDv7 (RFC 9562): the time, then randomness, so new rows land at the end of an index. Safe to
// call from any thread; ids of one process ascend as long as its clock does not go back.
uuid new_event_id();

// 8-4-4-4-12 hexadecimal digits and nothing else. Printed in lower case.
std::optional<uuid> parse_uuid(std::string_view text);
std::string print_uuid(const uuid& id);
void print_uuid(const uuid& id, std::span<char, 36> out);

}

#pragma once

#include <string>
#include <string_view>

namespace cuebox::pg {

// A name as SQL takes it verbatim: "my ""channel""". For the few places, such as LISTEN, that take
// no parameters. A NUL byte or an empty name is refused.
std::string quote_identifier(std::string_view name);

}

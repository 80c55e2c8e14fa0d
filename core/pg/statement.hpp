#pragma once

#include <string_view>

namespace cuebox::pg {

// SQL with a name that errors, logs and traces call it by. The text must outlive its use, which a
// string literal does: statements are constants.
struct statement
{
    std::string_view name;
    std::string_view sql;
};

}

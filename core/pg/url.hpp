#pragma once

#include <string>
#include <string_view>

namespace cuebox::pg {

// Whether a conninfo holds a password, of the user or of a key.
bool has_password(std::string_view conninfo);

enum class passwords
{
    left_out,
    kept
};
// A conninfo as a URL: one word, which needs no quotes in a shell. It says what the conninfo says,
// and nothing of the environment.
std::string print_url(std::string_view conninfo, passwords which);

}

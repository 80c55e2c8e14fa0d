#include <cuebox/pg/error.hpp>
#include <cuebox/pg/identifier.hpp>

namespace cuebox::pg {

std::string quote_identifier(std::string_view name)
{
    if (name.empty() || name.find('\0') != name.npos)
        throw error(errc::usage, "", "an identifier is neither empty nor contains a NUL byte");
    std::string quoted = "\"";
    for (const char letter : name) {
        if (letter == '"')
            quoted.push_back('"');
        quoted.push_back(letter);
    }
    return quoted.append("\"");
}

}

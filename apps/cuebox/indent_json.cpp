#include "indent_json.hpp"

#include <algorithm>

namespace cuebox::cli {

namespace {

bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

// With its quotes.
std::string_view string_at_front(std::string_view json)
{
    for (std::size_t i = 1; i < json.size(); ++i) {
        if (json[i] == '\\')
            ++i;
        else if (json[i] == '"')
            return json.substr(0, i + 1);
    }
    return json;
}

bool closes(char letter)
{
    return letter == '}' || letter == ']';
}

}

std::string indent_json(std::string_view json)
{
    std::string out;
    std::size_t depth = 0;
    // A payload may nest thousands deep; its lines do not get longer for ever.
    constexpr std::size_t levels_max = 40;
    const auto new_line = [&] { out.append(1, '\n').append(2 * std::min(depth, levels_max), ' '); };
    const auto skip_blanks = [&] {
        json.remove_prefix(
            static_cast<std::size_t>(std::ranges::find_if_not(json, is_blank) - json.begin()));
    };
    for (skip_blanks(); !json.empty(); skip_blanks()) {
        const std::string_view token =
            json.front() == '"' ? string_at_front(json) : json.substr(0, 1);
        const char first = token.front();
        json.remove_prefix(token.size());
        if (closes(first) && depth > 0) {
            --depth;
            new_line();
        }
        out += token;
        if (first == ',')
            new_line();
        else if (first == ':')
            out += ' ';
        else if (first == '{' || first == '[') {
            skip_blanks();
            if (!json.empty() && closes(json.front())) {
                out += json.front();
                json.remove_prefix(1);
                continue;
            }
            ++depth;
            new_line();
        }
    }
    return out;
}

}

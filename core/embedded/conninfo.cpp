#include <cuebox/embedded/conninfo.hpp>

namespace cuebox::embedded {

namespace {

std::string quoted(std::string_view value)
{
    std::string text = "'";
    for (const char letter : value) {
        if (letter == '\'' || letter == '\\')
            text += '\\';
        text += letter;
    }
    return text += '\'';
}

bool needs_quotes(std::string_view value)
{
    return value.empty() || value.find_first_of(" \t\n\r\f\v'\\") != std::string_view::npos;
}

}

std::string
print_conninfo(std::initializer_list<std::pair<std::string_view, std::string_view>> parameters)
{
    std::string text;
    for (const auto& [name, value] : parameters) {
        text.append(text.empty() ? "" : " ").append(name).append("=");
        text += needs_quotes(value) ? quoted(value) : std::string{value};
    }
    return text;
}

std::string socket_conninfo(const std::filesystem::path& directory, int port,
                            std::string_view database)
{
    return print_conninfo({{"host", directory.string()},
                           {"port", std::to_string(port)},
                           {"user", "postgres"},
                           {"dbname", database}});
}

}

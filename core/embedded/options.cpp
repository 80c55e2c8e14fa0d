#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/options.hpp>

#include <algorithm>
#include <array>

namespace cuebox::embedded {

namespace {

constexpr std::string_view prefix = "embedded";

// Where it listens, who gets in and what its log says is what the rest of this room relies on.
constexpr std::array<std::string_view, 12> reserved{
    "port",        "listen_addresses",  "unix_socket_directories", "unix_socket_permissions",
    "hba_file",    "ident_file",        "data_directory",          "config_file",
    "lc_messages", "logging_collector", "log_destination",         "external_pid_file"};

bool is_name(std::string_view name)
{
    return !name.empty() && std::ranges::all_of(name, [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
               letter == '_' || letter == '.';
    });
}

}

std::optional<options> parse(std::string_view text)
{
    if (text == prefix)
        return options{};
    if (!text.starts_with(prefix) || text[prefix.size()] != ':')
        return std::nullopt;

    const auto directory = text.substr(prefix.size() + 1);
    if (directory.empty())
        throw error{"'embedded:' names no directory: write embedded:DIR, or embedded for a "
                    "temporary one"};
    options parsed;
    parsed.directory = directory;
    return parsed;
}

void validate(const options& options)
{
    for (const auto& [name, value] : options.settings) {
        if (!is_name(name))
            throw error{"'" + name + "' is not the name of a Postgres setting"};
        if (value.find('\0') != std::string::npos)
            throw error{"the value of the Postgres setting " + name + " contains a null character"};
        if (std::ranges::find(reserved, name) != reserved.end())
            throw error{"the Postgres setting " + name +
                        " belongs to the embedded server itself: leave it out"};
    }
}

}

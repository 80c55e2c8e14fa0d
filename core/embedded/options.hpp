#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuebox::embedded {

struct options
{
    // Where the cluster lives, made on first use. Empty: a temporary one, gone after the stop.
    std::filesystem::path directory{};

    // Further settings as postgresql.conf names them: {"fsync", "off"}. Where the server listens
    // is not among them.
    std::vector<std::pair<std::string, std::string>> settings{};

    // Also listen on a free port of 127.0.0.1, behind a random password. The socket in a private
    // directory is always there.
    bool tcp = true;

    // How long to wait until it accepts connections; crash recovery counts.
    std::chrono::milliseconds start_deadline = std::chrono::seconds{60};

    // How long a fast shutdown may take before it becomes an immediate one.
    std::chrono::milliseconds stop_deadline = std::chrono::seconds{30};
};

// What `--database` takes: "embedded" or "embedded:DIR". None for anything else, so that a URL goes
// to whoever reads URLs; "embedded:" without a directory is an error.
std::optional<options> parse(std::string_view text);

// Throws an error that names the setting if it is malformed or belongs to the server itself.
void validate(const options& options);

}

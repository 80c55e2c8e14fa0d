#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

namespace cuebox::embedded {

// What `postmaster.pid` in a data directory says. A server writes it bit by bit as it starts, and
// removes it as it ends; one that was killed leaves it behind.
struct postmaster_file
{
    pid_t pid = 0;
    std::filesystem::path data{};
    int port = 0;
    // The first one; empty when it has none.
    std::filesystem::path socket_directory{};
    // "starting", "ready", "standby" or "stopping"; empty in the first moments.
    std::string status{};

    bool ready() const { return status == "ready" || status == "standby"; }
    std::filesystem::path socket() const;
};

// None when there is no such file, or nothing in it yet.
std::optional<postmaster_file> read_postmaster_file(const std::filesystem::path& data);

// Whether the process that wrote the file still serves that directory: the system says who listens
// on its socket. The pid alone says little, as it may be another process's by now, and the file may
// have been copied along with a directory.
bool serves(const postmaster_file& file, const std::filesystem::path& data);

}

#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace cuebox::embedded {

// A server that another process runs. It is that one's: it ends when that one does, and nothing
// here can stop it.
struct running_server
{
    pid_t pid = 0;
    std::filesystem::path data{};
    std::filesystem::path socket_directory{};
    int port = 0;

    // As server::conninfo.
    std::string conninfo(std::string_view database = "postgres") const;
};

// The server that runs in a directory; none when none does, or what ran there has ended. Waits for
// one that is just starting, or stopping, no longer than this. Throws cuebox::embedded::error when
// that is too long, when the directory is another user's, and when the server in it is none of
// Cuebox's: how to get into that one is not known.
std::optional<running_server> find_running(const std::filesystem::path& directory,
                                           std::chrono::milliseconds longest);

}

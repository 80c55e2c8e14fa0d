#pragma once

#include "support/process.hpp"

#include <cuebox/embedded/platform.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace cuebox::embedded::test {

// A process that holds a server, and what it told about it.
struct holder
{
    explicit holder(const std::vector<std::string>& arguments = {},
                    const std::filesystem::path& program = SERVER_HOLDER)
        : running{program, arguments},
          postmaster{std::stoi(running.read_line())},
          directory{running.read_line()},
          conninfo{running.read_line()},
          tcp_conninfo{running.read_line()},
          watcher{parent_of(parent_of(postmaster))}
    {}

    // Whoever removes its directory next must not meet it there.
    ~holder()
    {
        running.signal(SIGKILL);
        wait_for_end(watcher, std::chrono::seconds{30});
    }

    // The watcher goes last, after the server and the directory.
    bool all_gone() const
    {
        return wait_for_end(watcher, std::chrono::seconds{30}) &&
               wait_for_end(postmaster, std::chrono::milliseconds{0}) &&
               !std::filesystem::exists(directory);
    }

    static pid_t parent_of(pid_t pid)
    {
        return std::stoi(cuebox::test::run("ps", {"-o", "ppid=", "-p", std::to_string(pid)}).out);
    }

    cuebox::test::process running;
    pid_t postmaster;
    std::filesystem::path directory;
    std::string conninfo;
    std::string tcp_conninfo;
    pid_t watcher;
};

}

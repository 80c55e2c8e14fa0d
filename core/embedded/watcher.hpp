#pragma once

#include <cuebox/embedded/account.hpp>
#include <cuebox/embedded/platform.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::embedded {

// A small shell between us and Postgres, in a session of its own. It holds one end of a
// channel whose other end only we have: when that closes, because we close it or because we are
// gone however suddenly, it shuts the server down and removes the run directory. So nothing has to
// be installed in the embedding program, no signal handler and no exit hook.
class watcher
{
public:
    // Whether it watches a server whose run directory this is. True from before such a server
    // starts until after it has ended.
    static bool watches(const std::filesystem::path& run);

    struct task
    {
        std::filesystem::path binaries{};
        std::filesystem::path data{};
        // Removed at the end.
        std::filesystem::path run{};
        std::filesystem::path log{};
        // For initdb: the locale, and whether to leave writing to disk to the system.
        std::string locale{};
        bool no_sync = false;
        // For every start of postgres, besides its directory and port.
        std::vector<std::string> arguments{};
    };

    watcher(const task& task, const account& run_as);
    // Returns when the server has ended and the run directory is gone.
    ~watcher();
    watcher(const watcher&) = delete;
    watcher& operator=(const watcher&) = delete;

    // Runs initdb, with the password in the run directory. Returns its exit code.
    int init(std::chrono::milliseconds longest);

    // Starts postgres and returns its pid; one at a time.
    pid_t start(int port);

    // Waits for the running postgres to end; true once it has.
    bool ended(std::chrono::milliseconds longest);

private:
    // The rest of the next line that begins with this word; none when time is up.
    std::optional<int> told(std::string_view word, std::chrono::milliseconds longest);
    void tell(std::string_view line);

    descriptor channel_;
    std::string unread_;
    pid_t pid_ = -1;
    bool running_ = false;
};

}

#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/log_tail.hpp>
#include <cuebox/embedded/postmaster.hpp>
#include <cuebox/embedded/postmaster_file.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace cuebox::embedded {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
namespace fs = std::filesystem;

namespace {

// An older file may be left from a crash.
bool is_ready(const fs::path& data, pid_t pid)
{
    const auto file = read_postmaster_file(data);
    return file && file->pid == pid && file->status == "ready";
}

bool says(const std::string& log, std::string_view phrase)
{
    return log.find(phrase) != std::string::npos;
}

// The pid in "Is another postmaster (PID 4711) running in data directory".
std::string other_pid(const std::string& log)
{
    const std::string_view marker = "postmaster (PID ";
    const auto at = log.find(marker);
    if (at == std::string::npos)
        return "unknown";
    const auto start = at + marker.size();
    return log.substr(start, log.find(')', start) - start);
}

[[noreturn]] void throw_did_not_start(const fs::path& data, const std::string& log)
{
    if (says(log, "lock file \"postmaster.pid\" already exists")) {
        const auto file = read_postmaster_file(data);
        if (file && !file->status.empty() && !serves(*file, data))
            throw in_use{(data / "postmaster.pid").string() +
                         " was left by another server, and its pid " + other_pid(log) +
                         " is that of a process which does not serve " + data.string() +
                         ": remove that file if you know that no Postgres runs there"};
        throw in_use{data.string() + " is served by another Postgres already, with the pid " +
                     other_pid(log) + ": stop that one, connect to it, or take another directory"};
    }
    throw error{"the embedded Postgres in " + data.string() +
                " did not start; its log ends with:" + last_lines(log)};
}

}

pid_t start_postmaster(watcher& watcher, const fs::path& data, const fs::path& log_path, int port,
                       milliseconds longest)
{
    const auto until = steady_clock::now() + longest;
    const auto empty_until = std::min(until, steady_clock::now() + std::chrono::seconds{5});
    for (;;) {
        const auto log_start = log_end(log_path);
        const pid_t pid = watcher.start(port);
        bool ended = false;
        while (!is_ready(data, pid) && !(ended = watcher.ended(milliseconds{10})))
            if (steady_clock::now() >= until) {
                stop_postmaster(watcher, pid, SIGQUIT, longest);
                throw error{"the embedded Postgres in " + data.string() +
                            " was not ready in time; its log ends with:" +
                            last_lines(log_since(log_path, log_start))};
            }
        if (!ended)
            return pid;

        const auto log = log_since(log_path, log_start);
        if (says(log, "could not create any TCP/IP sockets"))
            return 0;
        // After a crash its last processes may need a moment to notice that they are orphans.
        const bool orphans = says(log, "pre-existing shared memory block");
        // Another server is about to write its pid; a file that stays empty is left from a crash.
        const bool empty = says(log, "lock file \"postmaster.pid\" is empty");
        const auto now = steady_clock::now();
        if (!(orphans && now < until) && !(empty && now < empty_until))
            throw_did_not_start(data, log);
    }
}

void stop_postmaster(watcher& watcher, pid_t pid, int signal, milliseconds longest)
{
    if (watcher.ended(milliseconds{0}))
        return;
    if (::kill(pid, signal) != 0 && errno != ESRCH)
        throw_system_error("signal the embedded Postgres", errno);
    if (watcher.ended(longest))
        return;
    ::kill(pid, SIGQUIT);
    if (watcher.ended(std::chrono::seconds{10}))
        return;
    ::kill(pid, SIGKILL);
    if (!watcher.ended(std::chrono::seconds{10}))
        throw error{"the embedded Postgres with the pid " + std::to_string(pid) +
                    " does not end, not even when killed"};
}

}

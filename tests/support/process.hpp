#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace cuebox::test {

using environment = std::vector<std::pair<std::string, std::string>>;

struct outcome
{
    // The exit code, or 128 + the signal it died of.
    int exit = -1;
    std::string out{};
    std::string err{};
};

// A program that runs beside the test, in a process group of its own, with our environment and what
// is added to it. Killed with its group at the end of the scope if it still runs.
class process
{
public:
    process(const std::filesystem::path& program, const std::vector<std::string>& arguments = {},
            const environment& added = {});
    ~process();
    process(const process&) = delete;
    process& operator=(const process&) = delete;

    pid_t pid() const noexcept { return pid_; }

    void write(std::string_view input);
    void close_input();

    // The next line of its standard output, without its end. Throws when it closes that first, with
    // what it said on its standard error, or when the time is up.
    std::string read_line(std::chrono::milliseconds longest = std::chrono::seconds{60});

    void signal(int number) const;
    // As a terminal does it: to every process of its group.
    void signal_group(int number) const;

    // What it has written to its standard error so far.
    std::string complaints();

    // Reads what it still says and waits for its end; kills it and throws when the time is up.
    outcome wait(std::chrono::milliseconds longest = std::chrono::seconds{60});

private:
    // Reads once from either stream; false when both have ended.
    bool read_some(std::chrono::steady_clock::time_point until);

    pid_t pid_ = -1;
    int in_ = -1;
    int out_ = -1;
    int err_ = -1;
    outcome said_;
    bool reaped_ = false;
};

// Runs a program to its end.
outcome run(const std::filesystem::path& program, const std::vector<std::string>& arguments = {},
            std::string_view input = {}, const environment& added = {},
            std::chrono::milliseconds longest = std::chrono::seconds{60});

}

#pragma once

#include <cuebox/pg/error.hpp>

#include <functional>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

// What programs with a command line share: arguments, exit codes, files, the database they work on.
namespace cuebox::cli {

// What the chosen command does once all arguments are known to be good; returns the exit code. Each
// command is a function add_NAME(app, chosen) which describes its arguments and sets `chosen` when
// it is named.
using action = std::function<int()>;

// Exit codes: done, failed, wrong usage.
inline constexpr int done = 0;
inline constexpr int failed = 1;
inline constexpr int wrong_usage = 2;

// A command that cannot do what it was asked: one plain sentence that says what to do next.
class failure : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// Arguments that are each well formed, and together make no sense.
class usage_error : public failure
{
public:
    using failure::failure;
};

// Writes out what was printed so far; false when that, or anything before it, could not be written.
bool output_holds();
inline constexpr const char* output_lost =
    "the output could not be written: is the disk full, or the reader gone?";

// Puts what the database has refused into words: for a command, such as "dlq list", and what that
// got as --database.
using explainer = std::function<std::string(const pg::error& refused, const std::string& command,
                                            const std::string& database)>;

// The whole of a main(): parses the arguments, runs what they chose, else prints the help. Errors
// are one sentence on stderr after the program's name; the exit code is one of those above.
int run_program(CLI::App& app, int argc, char** argv, const action& chosen,
                const explainer& explain = {});

}

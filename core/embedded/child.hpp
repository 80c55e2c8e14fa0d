#pragma once

#include <cuebox/embedded/account.hpp>

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace cuebox::embedded {

// What a child gets of us: nothing but what is named here. Standard streams not named are
// /dev/null, the directory is /, the umask 077, the environment PATH and little more, and signals
// are as at boot.
struct command
{
    // The program, with its path, and its arguments.
    std::vector<std::string> arguments{};
    // (number in the child, one of ours); ours are 10 or above, as make_pipe hands them out.
    std::vector<std::pair<int, int>> descriptors{};
    // Null: as ourselves.
    const account* run_as = nullptr;
    // Its own session: a terminal's ^C does not reach it.
    bool own_session = false;
};

// Throws if the program could not be started; the caller reaps it.
pid_t spawn(const command& command);

struct captured
{
    // As waitpid gives it; -1 if somebody else reaped the child.
    int status = -1;
    std::string output{};
};

// Runs a short program to its end and returns what it wrote to its standard output.
captured capture(const std::vector<std::string>& arguments, const account* run_as = nullptr);

// waitpid that survives signals. A host that reaps all children itself costs us the status only.
int reap(pid_t child);

}

#include "confirm.hpp"

#include <cuebox/cli/command.hpp>

#include <array>
#include <cstdio>
#include <iostream>
#include <pwd.h>
#include <unistd.h>

namespace cuebox::cli {

std::string who_am_i()
{
    std::array<char, 4096> names{};
    passwd entry{};
    passwd* found = nullptr;
    const bool known =
        getpwuid_r(geteuid(), &entry, names.data(), names.size(), &found) == 0 && found;
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0)
        host.front() = '\0';
    return (known ? std::string(entry.pw_name) : std::to_string(geteuid())) + "@" + host.data();
}

bool confirm(const std::string& what, bool yes)
{
    if (yes)
        return true;
    if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0)
        throw usage_error{"this would " + what +
                          ", and there is nobody to ask: give --yes if that is meant"};
    std::fprintf(stderr, "%s? [y/N] ", what.c_str());
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}

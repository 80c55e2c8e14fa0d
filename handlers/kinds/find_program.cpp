#include "find_program.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace cuebox::handlers {

namespace {

enum class found
{
    nothing,
    not_runnable,
    program
};

found look_at(const std::string& path)
{
    struct stat about{};
    if (::stat(path.c_str(), &about) != 0)
        return found::nothing;
    // As exec does: by the effective user.
    const bool may_run = ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
    return S_ISREG(about.st_mode) && may_run ? found::program : found::not_runnable;
}

// A script whose interpreter is not there fails to start as if it were not there itself.
std::string why_not_interpreted(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string first;
    constexpr std::size_t line_max = 256; // More the kernel does not read.
    first.resize(line_max);
    file.read(first.data(), static_cast<std::streamsize>(line_max));
    first.resize(static_cast<std::size_t>(file.gcount()));
    if (!first.starts_with("#!"))
        return {};
    first.resize(std::min(first.find('\n'), first.size()));
    const std::size_t begin = std::min(first.find_first_not_of(" \t", 2), first.size());
    const std::string interpreter =
        first.substr(begin, std::min(first.find_first_of(" \t", begin), first.size()) - begin);
    if (look_at(interpreter) == found::program)
        return {};
    if (interpreter.ends_with('\r'))
        return "\"" + path +
               "\" has a first line that ends with a carriage return: save it with "
               "Unix line ends";
    return "\"" + path + "\" asks for the interpreter \"" + interpreter +
           "\", which cannot be run: install it";
}

std::string why_not_run(const std::string& path)
{
    switch (look_at(path)) {
    case found::nothing:
        return "there is no file \"" + path + "\": give the path of the program";
    case found::not_runnable:
        return "\"" + path +
               "\" is no file that this user may execute: chmod +x it, or give "
               "another one";
    case found::program:
        break;
    }
    return why_not_interpreted(path);
}

// An empty place is the working directory.
std::string within(const std::string& directory, const std::string& program)
{
    return (directory.empty() ? "." : directory) + "/" + program;
}

}

std::string why_not_runnable(const std::string& program)
{
    if (program.find('/') != std::string::npos)
        return why_not_run(program);
    const char* given = std::getenv("PATH");
    const std::string path = given ? given : "/bin:/usr/bin";
    std::string closest;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        const std::string candidate = within(path.substr(begin, end - begin), program);
        begin = end + 1;
        const found what = look_at(candidate);
        if (what == found::program)
            return why_not_interpreted(candidate);
        if (what == found::not_runnable && closest.empty())
            closest = candidate;
    }
    if (!closest.empty())
        return why_not_run(closest);
    return "there is no program \"" + program + "\" in PATH: install it, or give its path with a /";
}

void check_command(const config::node& from, std::string_view key,
                   const std::vector<std::string>& command)
{
    if (command.empty() || command.front().empty())
        from.refuse(key, "is empty: give a program and its arguments");
    if (const std::string why = why_not_runnable(command.front()); !why.empty())
        from.find(key)->element(0).refuse(why);
}

}

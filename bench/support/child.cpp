#include "child.hpp"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

// Both of a child's streams go to files without a name: no pipe can fill up and stall it.
class capture
{
public:
    capture() : file_(std::tmpfile())
    {
        if (file_ == nullptr)
            throw std::runtime_error("cannot make a temporary file");
    }
    ~capture() { std::fclose(file_); }
    capture(const capture&) = delete;
    capture& operator=(const capture&) = delete;

    int descriptor() const { return fileno(file_); }
    std::string text() const
    {
        std::string out;
        std::rewind(file_);
        for (int letter = 0; (letter = std::fgetc(file_)) != EOF;)
            out += static_cast<char>(letter);
        return out;
    }

private:
    std::FILE* file_;
};

[[noreturn]] void become(const std::vector<std::string>& command, const environment& added,
                         const capture& out, const capture& err)
{
    for (const auto& [name, value] : added)
        setenv(name.c_str(), value.c_str(), 1);
    dup2(out.descriptor(), STDOUT_FILENO);
    dup2(err.descriptor(), STDERR_FILENO);
    std::vector<char*> arguments;
    for (const auto& each : command)
        arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    std::perror(command.front().c_str());
    _exit(127);
}

}

std::string run_child(const std::vector<std::string>& command, const environment& added)
{
    const capture out;
    const capture err;
    const auto child = fork();
    if (child < 0)
        throw std::runtime_error("cannot start " + command.front());
    if (child == 0)
        become(command, added, out, err);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error(command.front() + " failed: " + err.text());
    return out.text();
}

}

#include "support/process.hpp"

#include "support/canary.hpp"

#include <cuebox/embedded/platform.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace cuebox::test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

std::vector<std::string> merged(const environment& added)
{
    std::vector<std::string> all;
    for (char** each = environ; *each; ++each) {
        const std::string_view variable = *each;
        const auto name = variable.substr(0, variable.find('='));
        if (std::ranges::none_of(added, [name](const auto& one) { return one.first == name; }))
            all.emplace_back(variable);
    }
    for (const auto& [name, value] : added)
        all.push_back(name + '=' + value);
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> all;
    for (auto& text : texts)
        all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

pid_t spawn(std::vector<std::string> arguments, const environment& added,
            std::array<int, 3> streams)
{
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (int number = 0; number < 3; ++number)
        ::posix_spawn_file_actions_adddup2(&actions, streams[static_cast<std::size_t>(number)],
                                           number);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                POSIX_SPAWN_SETSIGDEF);
    auto variables = merged(added);
    pid_t pid = -1;
    const int failed = ::posix_spawnp(&pid, arguments[0].c_str(), &actions, &attributes,
                                      pointers(arguments).data(), pointers(variables).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        throw std::system_error{failed, std::generic_category(), arguments[0]};
    return pid;
}

void close_stream(int& stream)
{
    if (stream >= 0)
        ::close(stream);
    stream = -1;
}

void drain(int& stream, std::string& into)
{
    char block[4096];
    const auto got = ::read(stream, block, sizeof block);
    if (got > 0)
        into.append(block, static_cast<std::size_t>(got));
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
        close_stream(stream);
}

}

process::process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const environment& added)
{
    ::signal(SIGPIPE, SIG_IGN); // A program that ends before it has read all is no reason to die.
    auto in = embedded::make_pipe();
    auto out = embedded::make_pipe();
    auto err = embedded::make_pipe();
    std::vector<std::string> all{program.string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    pid_ = spawn(all, added, {in.read.get(), out.write.get(), err.write.get()});
    in_ = in.write.release();
    out_ = out.read.release();
    err_ = err.read.release();
}

process::~process()
{
    if (!reaped_) {
        signal_group(SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    for (int* stream : {&in_, &out_, &err_})
        close_stream(*stream);
}

void process::write(std::string_view input)
{
    while (!input.empty()) {
        const auto sent = ::write(in_, input.data(), input.size());
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return;
        input.remove_prefix(static_cast<std::size_t>(sent));
    }
}

void process::close_input()
{
    close_stream(in_);
}

bool process::read_some(steady_clock::time_point until)
{
    if (out_ < 0 && err_ < 0)
        return false;
    std::array<pollfd, 2> streams{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
    const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now()).count();
    const int ready = ::poll(streams.data(), streams.size(),
                             static_cast<int>(std::max<milliseconds::rep>(left, 0)));
    if (ready == 0)
        throw std::runtime_error{"a program took too long; it said:\n" + said_.out + said_.err};
    if (streams[0].revents != 0)
        drain(out_, said_.out);
    if (streams[1].revents != 0)
        drain(err_, said_.err);
    return true;
}

std::string process::read_line(milliseconds longest)
{
    const auto until = steady_clock::now() + longest;
    for (;;) {
        if (const auto end = said_.out.find('\n'); end != std::string::npos) {
            const auto line = said_.out.substr(0, end);
            said_.out.erase(0, end + 1);
            return line;
        }
        if (!read_some(until))
            throw std::runtime_error{"a program ended before it said more: " + said_.err};
    }
}

void process::signal(int number) const
{
    ::kill(pid_, number);
}

void process::signal_group(int number) const
{
    ::kill(-pid_, number);
}

std::string process::complaints()
{
    pollfd there{err_, POLLIN, 0};
    while (err_ >= 0 && ::poll(&there, 1, 0) > 0) {
        drain(err_, said_.err);
        there.fd = err_;
    }
    return said_.err;
}

outcome process::wait(milliseconds longest)
{
    const auto until = steady_clock::now() + longest;
    while (read_some(until)) {
    }
    const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
    if (!embedded::wait_for_end(pid_, std::max(left, milliseconds{0})))
        throw std::runtime_error{"a program does not end"};
    int status = 0;
    ::waitpid(pid_, &status, 0);
    reaped_ = true;
    said_.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    // What an operator asks to see may be a payload; what is merely said may not.
    canary::refuse(said_.err, "what a program wrote to stderr");
    return said_;
}

outcome run(const std::filesystem::path& program, const std::vector<std::string>& arguments,
            std::string_view input, const environment& added, milliseconds longest)
{
    process running{program, arguments, added};
    running.write(input);
    running.close_input();
    return running.wait(longest);
}

}

#include "child_process.hpp"

#include <cuebox/runtime/scope.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <optional>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace cuebox::handlers {

namespace {

constexpr std::size_t err_max = 1'000;

[[noreturn]] void refuse(const std::string& what, int code)
{
    throw std::system_error(code, std::generic_category(), what);
}

// Both ends closed on exec, so that no other child keeps them open.
std::array<int, 2> make_pipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        refuse("could not make a pipe", errno);
    return ends;
}

std::vector<std::string> merge_environment(const std::map<std::string, std::string>& added)
{
    std::vector<std::string> all;
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view entry = *each;
        const std::string name(entry.substr(0, entry.find('=')));
        if (!added.contains(name))
            all.emplace_back(entry);
    }
    for (const auto& [name, value] : added)
        all.push_back(name + "=" + value);
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> all;
    for (std::string& each : texts)
        all.push_back(each.data());
    all.push_back(nullptr);
    return all;
}

// Its stdout goes nowhere unless `out` is a descriptor.
pid_t spawn(std::vector<std::string>& command, std::vector<std::string>& environment, int in,
            int out, int err)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (out < 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const int failed = ::posix_spawnp(&pid, command.front().c_str(), &actions, &attributes,
                                      pointers(command).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0)
        refuse("could not run " + command.front(), failed);
    return pid;
}

// A child that is killed, with all it has started, and reaped, however this ends.
class child
{
public:
    explicit child(pid_t pid) noexcept : pid_(pid) {}
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child()
    {
        if (pid_ > 0)
            reap();
    }

    // The number stays its own until it is reaped.
    void end_group() const noexcept
    {
        if (pid_ > 0)
            ::kill(-pid_, SIGKILL);
    }

    int reap() noexcept
    {
        end_group();
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return status;
    }

private:
    pid_t pid_;
};

using stream = asio::posix::stream_descriptor;

// A program that does not read its input is not wrong for that.
awaitable<void> feed(stream& to, std::string input)
{
    boost::system::error_code ignored;
    co_await asio::async_write(to, asio::buffer(input),
                               asio::redirect_error(asio::use_awaitable, ignored));
    to.close();
}

// Reads to the end whatever the program says, so that it never waits to be heard.
awaitable<void> hear(stream& from, std::function<void(std::string_view)> keep)
{
    std::array<char, 4096> piece{};
    boost::system::error_code end;
    while (!end) {
        const std::size_t got = co_await from.async_read_some(
            asio::buffer(piece), asio::redirect_error(asio::use_awaitable, end));
        keep({piece.data(), got});
    }
    // Cancelled, it has not heard all.
    if (end == asio::error::operation_aborted)
        throw boost::system::system_error(end, "a program's output");
}

void keep_end(std::string& said, std::string_view more)
{
    said += more;
    if (said.size() > 2 * err_max)
        said.erase(0, said.size() - err_max);
}

void keep_beginning(child_outcome& outcome, std::string_view more, std::size_t most)
{
    const std::size_t room = most - outcome.out.size();
    outcome.out += more.substr(0, room);
    outcome.out_cut = outcome.out_cut || more.size() > room;
}

void close_end(int end)
{
    if (end >= 0)
        ::close(end);
}

}

std::string describe(const std::string& program, const child_outcome& ended)
{
    std::string what = ended.signal != 0
                           ? program + " was ended by signal " + std::to_string(ended.signal)
                           : program + " exited with " + std::to_string(ended.exit);
    if (!ended.err.empty())
        what += ": " + ended.err;
    return what;
}

awaitable<child_outcome> run_child(std::vector<std::string> command,
                                   std::map<std::string, std::string> environment,
                                   std::string input, std::size_t out_max)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto in = make_pipe();
    stream to(executor, in[1]);
    const auto err = make_pipe();
    stream from_err(executor, err[0]);
    const auto out = out_max > 0 ? make_pipe() : std::array{-1, -1};
    std::optional<stream> from_out;
    if (out_max > 0)
        from_out.emplace(executor, out[0]);
    auto merged = merge_environment(environment);
    pid_t pid = -1;
    std::exception_ptr failed;
    try {
        pid = spawn(command, merged, in[0], out[1], err[1]);
    }
    catch (...) {
        failed = std::current_exception();
    }
    close_end(in[0]);
    close_end(out[1]);
    close_end(err[1]);
    if (failed)
        std::rethrow_exception(failed);
    const auto running = std::make_shared<child>(pid);
    const int watch = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (watch < 0)
        refuse("could not watch " + command.front(), errno);
    stream ended(executor, watch);

    // Once the program itself has ended, what it has left running goes too: that would keep its
    // stderr open.
    ended.async_wait(stream::wait_read,
                     [watched = std::weak_ptr(running)](const boost::system::error_code& error) {
                         if (const auto still = watched.lock(); still && !error)
                             still->end_group();
                     });

    child_outcome outcome;
    // All at once: a program may speak before it listens, and on either stream.
    scope talk{executor};
    talk.spawn(feed(to, std::move(input)));
    talk.spawn(hear(from_err, [&](std::string_view more) { keep_end(outcome.err, more); }));
    if (from_out)
        talk.spawn(hear(*from_out,
                        [&](std::string_view more) { keep_beginning(outcome, more, out_max); }));
    co_await talk.join();
    co_await ended.async_wait(stream::wait_read, asio::use_awaitable);

    const int status = running->reap();
    outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    while (!outcome.err.empty() && outcome.err.back() == '\n')
        outcome.err.pop_back();
    co_return outcome;
}

}

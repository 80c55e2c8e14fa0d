#include "child_process.hpp"

#include <cuebox/runtime/scope.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace cuebox::handlers {

namespace {

constexpr std::size_t err_max = 1'000;
constexpr std::size_t err_head_max = 400;
// How long a program that has ended is heard if something it started keeps its streams open.
constexpr std::chrono::milliseconds last_words{500};

[[noreturn]] void refuse(const std::string& what, int code)
{
    throw not_started(code, std::generic_category(), what);
}

// A descriptor that is closed with its owner, unless a stream has taken it over.
class descriptor
{
public:
    descriptor() = default;
    explicit descriptor(int number) noexcept : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(other.release()) {}
    descriptor& operator=(descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor()
    {
        if (number_ >= 0)
            ::close(number_);
    }

    int get() const noexcept { return number_; }
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

struct pipe_ends
{
    descriptor read{};
    descriptor write{};
};

// Both closed on exec, so that no other child keeps them open.
pipe_ends make_pipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        refuse("no pipe", errno);
    return {descriptor(ends[0]), descriptor(ends[1])};
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
        refuse(command.front(), failed);
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

// To a pipe that nobody reads any more a write raises SIGPIPE, which ends a process that has not
// said otherwise: here it is only an error.
ssize_t write_quietly(int to, std::string_view text)
{
    sigset_t broken;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigset_t pending;
    sigemptyset(&pending);
    ::sigpending(&pending);
    sigset_t before;
    ::pthread_sigmask(SIG_BLOCK, &broken, &before);
    const ssize_t wrote = ::write(to, text.data(), text.size());
    const int error = errno;
    const timespec at_once{};
    if (wrote < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0)
        while (::sigtimedwait(&broken, nullptr, &at_once) < 0 && errno == EINTR) {
        }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return wrote;
}

// A program that runs, and what is said both ways; on one executor.
class conversation
{
public:
    conversation(const asio::any_io_executor& on, pid_t pid, std::size_t out_max)
        : running_(pid),
          out_max_(out_max),
          ended_(on),
          to_(on),
          from_err_(on),
          from_out_(on),
          patience_(on),
          talk_(on)
    {}

    void connect(descriptor watch, descriptor in, descriptor err, descriptor out)
    {
        ended_.assign(watch.get());
        watch.release();
        to_.assign(in.get());
        in.release();
        to_.non_blocking(true);
        from_err_.assign(err.get());
        err.release();
        if (out.get() >= 0)
            from_out_.assign(out.get());
        out.release();
    }

    // All at once: a program may speak before it listens, and on either stream.
    awaitable<child_outcome> hold(std::string input)
    {
        open_ = 2;
        talk_.spawn(feed(std::move(input)));
        talk_.spawn(hear(from_err_, &conversation::keep_err));
        if (from_out_.is_open()) {
            ++open_;
            talk_.spawn(hear(from_out_, &conversation::keep_out));
        }
        talk_.spawn(see_off());
        co_await talk_.join();

        take_rest(from_err_, &conversation::keep_err);
        if (from_out_.is_open())
            take_rest(from_out_, &conversation::keep_out);
        const int status = running_.reap();
        outcome_.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        outcome_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        while (!outcome_.err.empty() && outcome_.err.back() == '\n')
            outcome_.err.pop_back();
        // How much of it is there depends on how it came: a reason that is cut later would lose its
        // end, which is what tells most.
        if (outcome_.err.size() > err_max)
            outcome_.err.erase(0, outcome_.err.size() - err_max);
        co_return std::move(outcome_);
    }

private:
    using keeper = void (conversation::*)(std::string_view);

    // A program that does not read its input is not wrong for that.
    awaitable<void> feed(std::string input)
    {
        std::string_view left = input;
        boost::system::error_code end;
        while (!left.empty()) {
            co_await to_.async_wait(stream::wait_write,
                                    asio::redirect_error(asio::use_awaitable, end));
            if (end)
                break;
            const ssize_t wrote = write_quietly(to_.native_handle(), left);
            if (wrote > 0)
                left.remove_prefix(static_cast<std::size_t>(wrote));
            else if (wrote < 0 && errno != EAGAIN && errno != EINTR)
                break;
        }
        to_.close();
        closed();
    }

    // Reads to the end whatever the program says, so that it never waits to be heard.
    awaitable<void> hear(stream& from, keeper keep)
    {
        std::array<char, 4096> piece{};
        boost::system::error_code end;
        while (!end && !outcome_.out_cut) {
            const std::size_t got = co_await from.async_read_some(
                asio::buffer(piece), asio::redirect_error(asio::use_awaitable, end));
            (this->*keep)({piece.data(), got});
        }
        closed();
    }

    // Once the program itself has ended, what it has left running goes too. What has left its group
    // as well may keep its streams open, and is not waited for.
    awaitable<void> see_off()
    {
        co_await ended_.async_wait(stream::wait_read, asio::use_awaitable);
        running_.end_group();
        boost::system::error_code rung;
        patience_.expires_after(last_words);
        if (open_ > 0)
            co_await patience_.async_wait(asio::redirect_error(asio::use_awaitable, rung));
        if (open_ > 0)
            talk_.cancel();
    }

    // A stream has come to its end.
    void closed()
    {
        if (--open_ == 0)
            patience_.cancel();
    }

    // What was said before it ended, however busy this executor was since. Not more than is there
    // now: who holds the stream may go on for ever.
    void take_rest(stream& from, keeper keep)
    {
        int there = 0;
        if (::ioctl(from.native_handle(), FIONREAD, &there) != 0 || there <= 0)
            return;
        std::string rest(static_cast<std::size_t>(there), '\0');
        const ssize_t got = ::read(from.native_handle(), rest.data(), rest.size());
        if (got > 0)
            (this->*keep)(std::string_view(rest).substr(0, static_cast<std::size_t>(got)));
    }

    void keep_err(std::string_view more)
    {
        outcome_.err_head += more.substr(0, err_head_max - outcome_.err_head.size());
        outcome_.err += more;
        if (outcome_.err.size() > 2 * err_max)
            outcome_.err.erase(0, outcome_.err.size() - err_max);
    }

    // Past what was asked for, nothing it could still say matters.
    void keep_out(std::string_view more)
    {
        const std::size_t room = out_max_ - outcome_.out.size();
        outcome_.out += more.substr(0, room);
        if (more.size() > room) {
            outcome_.out_cut = true;
            running_.end_group();
        }
    }

    child running_;
    std::size_t out_max_;
    child_outcome outcome_{};
    int open_ = 0;
    stream ended_; // A pidfd: readable once the program has ended.
    stream to_;
    stream from_err_;
    stream from_out_;
    asio::steady_timer patience_;
    scope talk_;
};

}

awaitable<child_outcome> run_child(std::vector<std::string> command,
                                   std::map<std::string, std::string> environment,
                                   std::string input, std::size_t out_max)
{
    const auto executor = co_await asio::this_coro::executor;
    pipe_ends in = make_pipe();
    pipe_ends err = make_pipe();
    pipe_ends out;
    if (out_max > 0)
        out = make_pipe();
    auto merged = merge_environment(environment);
    const pid_t pid = spawn(command, merged, in.read.get(), out.write.get(), err.write.get());
    conversation talk(executor, pid, out_max);
    // The child has its own: these would keep the pipes open.
    in.read = {};
    out.write = {};
    err.write = {};
    descriptor watch(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (watch.get() < 0)
        refuse(command.front() + " cannot be watched", errno);
    talk.connect(std::move(watch), std::move(in.write), std::move(err.read), std::move(out.read));
    co_return co_await talk.hold(std::move(input));
}

}

#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/platform.hpp>

#include <climits>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <locale.h> // NOLINT(modernize-deprecated-headers)
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#ifdef __linux__
#include <sys/syscall.h>
#else
#include <xlocale.h>
#endif

namespace cuebox::embedded {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

descriptor moved_up(descriptor low)
{
    const int high = ::fcntl(low.get(), F_DUPFD_CLOEXEC, 10);
    if (high < 0)
        throw_system_error("duplicate a descriptor", errno);
    return descriptor{high};
}

// -1 where the system has none or the process is gone.
int open_process([[maybe_unused]] pid_t process) noexcept
{
#if defined(__linux__) && defined(SYS_pidfd_open)
    return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
#else
    return -1;
#endif
}

// Who listens at the other end of a connected socket; 0 where the system does not tell.
pid_t peer_of([[maybe_unused]] int connected) noexcept
{
#ifdef SO_PEERCRED
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool told = ::getsockopt(connected, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    return told ? peer.pid : 0;
#elif defined(LOCAL_PEERPID)
    pid_t peer = 0;
    socklen_t size = sizeof peer;
    return ::getsockopt(connected, SOL_LOCAL, LOCAL_PEERPID, &peer, &size) == 0 ? peer : 0;
#else
    return 0;
#endif
}

}

descriptor& descriptor::operator=(descriptor&& other) noexcept
{
    if (this != &other) {
        reset();
        number_ = other.release();
    }
    return *this;
}

int descriptor::release() noexcept
{
    return std::exchange(number_, -1);
}

void descriptor::reset() noexcept
{
    if (open())
        ::close(release());
}

pipe_ends make_pipe()
{
    int ends[2];
#ifdef __linux__
    const int made = ::pipe2(ends, O_CLOEXEC);
#else
    const int made = ::pipe(ends);
#endif
    if (made != 0)
        throw_system_error("make a pipe", errno);
    descriptor read{ends[0]};
    descriptor write{ends[1]};
    return {.read = moved_up(std::move(read)), .write = moved_up(std::move(write))};
}

channel_ends make_channel()
{
    int ends[2];
#ifdef __linux__
    const int made = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
#else
    const int made = ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
#endif
    if (made != 0)
        throw_system_error("make a pair of sockets", errno);
    descriptor ours{ends[0]};
    descriptor theirs{ends[1]};
#ifdef SO_NOSIGPIPE
    const int on = 1;
    ::setsockopt(ours.get(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return {.ours = moved_up(std::move(ours)), .theirs = moved_up(std::move(theirs))};
}

bool send_all(int channel, std::string_view text) noexcept
{
#ifdef MSG_NOSIGNAL
    constexpr int flags = MSG_NOSIGNAL;
#else
    constexpr int flags = 0;
#endif
    while (!text.empty()) {
        const auto sent = ::send(channel, text.data(), text.size(), flags);
        if (sent > 0)
            text.remove_prefix(static_cast<std::size_t>(sent));
        else if (errno != EINTR)
            return false;
    }
    return true;
}

void close_on_exec_from(int first) noexcept
{
#if defined(__linux__) && defined(SYS_close_range)
    constexpr unsigned flag_cloexec = 1U << 2;
    if (::syscall(SYS_close_range, static_cast<unsigned>(first), UINT_MAX, flag_cloexec) == 0)
        return;
#endif
    // Where one call cannot do it: the numbers that programs reach in practice.
    const int last = static_cast<int>(std::min<long>(::sysconf(_SC_OPEN_MAX), 65536));
    for (int number = first; number < last; ++number)
        ::fcntl(number, F_SETFD, FD_CLOEXEC);
}

bool has_locale(const char* name)
{
    const auto found = ::newlocale(LC_ALL_MASK, name, nullptr);
    if (found)
        ::freelocale(found);
    return found != nullptr;
}

descriptor lock_directory(const std::filesystem::path& path)
{
    descriptor directory{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!directory.open())
        throw_system_error("open the directory " + path.string(), errno);
    while (::flock(directory.get(), LOCK_EX) != 0)
        if (errno != EINTR)
            throw_system_error("lock the directory " + path.string(), errno);
    return directory;
}

bool wait_readable(int number, milliseconds longest)
{
    const auto until = steady_clock::now() + longest;
    for (;;) {
        const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
        pollfd waited{.fd = number, .events = POLLIN, .revents = 0};
        const auto bounded = std::clamp<milliseconds::rep>(left.count(), 0, INT_MAX);
        const int ready = ::poll(&waited, 1, static_cast<int>(bounded));
        if (ready > 0)
            return true;
        if (ready == 0)
            return false;
        if (errno != EINTR)
            throw_system_error("wait on a descriptor", errno);
    }
}

bool is_gone(pid_t process) noexcept
{
    return ::kill(process, 0) != 0 && errno == ESRCH;
}

bool listener_is(const std::filesystem::path& socket, pid_t process)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = socket.string();
    if (path.size() >= sizeof address.sun_path)
        return false;
    std::ranges::copy(path, address.sun_path);
    const descriptor asking{::socket(AF_UNIX, SOCK_STREAM, 0)};
    // One that is too busy to answer must not hold us up.
    if (!asking.open() || ::fcntl(asking.get(), F_SETFD, FD_CLOEXEC) != 0 ||
        ::fcntl(asking.get(), F_SETFL, O_NONBLOCK) != 0)
        throw_system_error("make a socket", errno);
    if (::connect(asking.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return errno == EAGAIN || errno == EINPROGRESS;
    const pid_t listener = peer_of(asking.get());
    return listener == 0 || listener == process;
}

bool wait_for_end(pid_t process, milliseconds longest)
{
    if (const descriptor handle{open_process(process)}; handle.open())
        return wait_readable(handle.get(), longest);

    const auto until = steady_clock::now() + longest;
    while (!is_gone(process)) {
        if (steady_clock::now() >= until)
            return false;
        ::poll(nullptr, 0, 20);
    }
    return true;
}

}

#include <cuebox/embedded/child.hpp>
#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/platform.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cuebox::embedded {

namespace {

// What failed in the child, sent home before it gives up.
struct failure
{
    enum step : int
    {
        none,
        account,
        program
    } step = none;
    int code = 0;
};

// Everything the child needs, made before the fork: afterwards, with other threads in the parent,
// only calls that are safe in a signal handler are allowed.
struct prepared
{
    std::vector<char*> arguments;
    std::vector<char*> environment;
    const command* what = nullptr;
    int report = -1;
};

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> all;
    for (auto& text : texts)
        all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

std::vector<std::string> environment()
{
    std::vector<std::string> kept{"PATH=/usr/local/bin:/usr/bin:/bin"};
    for (const char* name : {"TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"})
        if (const char* value = std::getenv(name)) // NOLINT(concurrency-mt-unsafe)
            kept.push_back(std::string{name} + '=' + value);
    return kept;
}

[[noreturn]] void give_up(const prepared& child, enum failure::step step) noexcept
{
    const failure told{.step = step, .code = errno};
    [[maybe_unused]] const auto written = ::write(child.report, &told, sizeof told);
    ::_exit(127);
}

void reset_signals() noexcept
{
    for (int number = 1; number < NSIG; ++number)
        ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

void connect_descriptors(const command& what) noexcept
{
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int number = 0; number < 3; ++number)
        if (nothing != number)
            ::dup2(nothing, number);
    int last = 2;
    for (const auto& [number, ours] : what.descriptors) {
        ::dup2(ours, number);
        last = std::max(last, number);
    }
    close_on_exec_from(last + 1);
}

[[noreturn]] void become(const prepared& child) noexcept
{
    const command& what = *child.what;
    reset_signals();
    if (what.own_session)
        ::setsid();
    connect_descriptors(what);
    ::umask(077);
    if (const account* as = what.run_as; as && as->change)
        if (::setgroups(0, nullptr) != 0 || ::setgid(as->gid) != 0 || ::setuid(as->uid) != 0)
            give_up(child, failure::account);
    if (::chdir("/") == 0)
        ::execve(child.arguments[0], child.arguments.data(), child.environment.data());
    give_up(child, failure::program);
}

// No handler of the parent's may run in the child before it has reset them.
pid_t fork_quietly(const prepared& child)
{
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    if (pid == 0)
        become(child);
    const int code = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0)
        throw_system_error("start " + std::string{child.arguments[0]}, code);
    return pid;
}

}

pid_t spawn(const command& command)
{
    auto arguments = command.arguments;
    auto variables = environment();
    auto report = make_pipe();
    const prepared child{.arguments = pointers(arguments),
                         .environment = pointers(variables),
                         .what = &command,
                         .report = report.write.get()};

    const pid_t pid = fork_quietly(child);
    report.write.reset();

    failure told;
    ssize_t got = 0;
    do
        got = ::read(report.read.get(), &told, sizeof told);
    while (got < 0 && errno == EINTR);
    if (got != static_cast<ssize_t>(sizeof told))
        return pid; // Closed by the exec: it runs.
    reap(pid);
    throw_system_error(told.step == failure::account ? "become the user " + command.run_as->name
                                                     : "start " + arguments[0],
                       told.code);
}

int reap(pid_t child)
{
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

captured capture(const std::vector<std::string>& arguments, const account* run_as)
{
    auto output = make_pipe();
    const command what{
        .arguments = arguments, .descriptors = {{1, output.write.get()}}, .run_as = run_as};
    const pid_t pid = spawn(what);
    output.write.reset();

    captured result;
    char block[4096];
    for (;;) {
        const auto got = ::read(output.read.get(), block, sizeof block);
        if (got > 0)
            result.output.append(block, static_cast<std::size_t>(got));
        else if (got == 0 || errno != EINTR)
            break;
    }
    result.status = reap(pid);
    return result;
}

}

// The Postgres of a ctest run, started and stopped by ctest fixtures:
//     test_cluster start DIR | stop DIR
// It outlives the start, in a process that holds the server until it is told to stop or until the
// ctest that started it is gone. A note in DIR, named after that ctest's pid, tells the tests where
// it is; so several runs at a time do not meet.
#include "support/cluster.hpp"

#include <cuebox/embedded/platform.hpp>
#include <cuebox/embedded/server.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {

using namespace cuebox;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

int stop_requests = -1;

void request_stop(int)
{
    [[maybe_unused]] const auto written = ::write(stop_requests, "x", 1);
}

// ctest waits for whoever holds its pipes.
void leave_terminal()
{
    ::setsid();
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; ++stream)
        ::dup2(nothing, stream);
}

void wait_for_stop(int requests, pid_t ctest)
{
    const auto lives = [ctest] { return ::kill(ctest, 0) == 0 || errno == EPERM; };
    while (lives() && !embedded::wait_readable(requests, 500ms)) {
    }
}

void hold(const fs::path& note, pid_t ctest, int started)
{
    leave_terminal();
    auto requests = embedded::make_pipe();
    stop_requests = requests.write.get();
    ::signal(SIGTERM, request_stop);
    try {
        // Autovacuum comes when it likes, and its transactions are seen by all.
        const embedded::server server{
            {.settings = {{"fsync", "off"}, {"autovacuum", "off"}, {"max_connections", "200"}}}};
        test::write_note(note, {.holder = ::getpid(),
                                .where = {.socket_directory = server.socket_directory(),
                                          .port = server.port(),
                                          .password = server.password()}});
        ::close(started);
        wait_for_stop(requests.read.get(), ctest);
        fs::remove(note);
    }
    catch (const std::exception& failed) {
        ::dprintf(started, "%s\n", failed.what());
    }
}

int start(const fs::path& note, pid_t ctest)
{
    fs::create_directories(note.parent_path());
    auto started = embedded::make_pipe();
    if (::fork() == 0) {
        started.read.reset();
        hold(note, ctest, started.write.get());
        return 0;
    }
    started.write.reset();
    std::string failure;
    char block[1024];
    for (ssize_t got; (got = ::read(started.read.get(), block, sizeof block)) > 0;)
        failure.append(block, static_cast<std::size_t>(got));
    std::fputs(failure.c_str(), stderr);
    return failure.empty() ? 0 : 1;
}

int stop(const fs::path& note)
{
    const auto found = test::read_note(note);
    if (!found)
        return 0;
    ::kill(found->holder, SIGTERM);
    return embedded::wait_for_end(found->holder, 60s) ? 0 : 1;
}

}

int main(int count, char** arguments)
{
    const std::string verb = count == 3 ? arguments[1] : "";
    if (verb != "start" && verb != "stop") {
        std::fputs("usage: test_cluster start DIR | stop DIR\n", stderr);
        return 2;
    }
    const pid_t ctest = ::getppid();
    const auto note = fs::absolute(arguments[2]) / std::to_string(ctest);
    return verb == "start" ? start(note, ctest) : stop(note);
}

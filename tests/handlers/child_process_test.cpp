#include <cuebox/handlers/kinds/child_process.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <stdlib.h>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

using namespace cuebox;
using namespace cuebox::handlers;

namespace {

child_outcome run(asio::io_context& io, std::vector<std::string> command, std::string input = "",
                  std::size_t out_max = 1'000)
{
    io.restart();
    auto ended = asio::co_spawn(io, run_child(std::move(command), {}, std::move(input), out_max),
                                asio::use_future);
    io.run();
    return ended.get();
}

std::size_t open_descriptors()
{
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// All descriptors that this process may have, but a few.
class scarcity
{
public:
    explicit scarcity(int left)
    {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit few{.rlim_cur = 128, .rlim_max = before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &few);
        for (int each = 0; (each = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
            taken_.push_back(each);
        for (; left > 0; --left)
            give_back();
    }
    ~scarcity()
    {
        while (!taken_.empty())
            give_back();
        ::setrlimit(RLIMIT_NOFILE, &before_);
    }
    scarcity(const scarcity&) = delete;
    scarcity& operator=(const scarcity&) = delete;

private:
    void give_back()
    {
        ::close(taken_.back());
        taken_.pop_back();
    }

    rlimit before_{};
    std::vector<int> taken_;
};

// A file, empty at first and gone in the end.
class marker
{
public:
    marker() : path_("/tmp/cuebox_test_XXXXXX") { ::close(::mkstemp(path_.data())); }
    ~marker() { ::unlink(path_.c_str()); }
    marker(const marker&) = delete;
    marker& operator=(const marker&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

// What a signal does to this process, for a while.
class disposition
{
public:
    disposition(int number, void (*what)(int)) : number_(number), before_(std::signal(number, what))
    {}
    ~disposition() { std::signal(number_, before_); }
    disposition(const disposition&) = delete;
    disposition& operator=(const disposition&) = delete;

private:
    int number_;
    void (*before_)(int);
};

}

TEST_CASE("a program is heard on both streams, and its exit is told")
{
    asio::io_context io{1};

    const auto ended = run(io, {"sh", "-c", "cat; echo aside >&2; exit 3"}, "what it was given");

    CHECK(ended.out == "what it was given");
    CHECK(ended.err == "aside");
    CHECK(ended.exit == 3);
    CHECK_FALSE(ended.out_cut);
}

TEST_CASE("a program has ended when it has, although what it left behind holds its streams")
{
    asio::io_context io{1};
    // It leaves the group, so that it is not killed with it, and lives as long as the file.
    const auto leaving_behind = [](const std::string& file) {
        return std::vector<std::string>{"sh", "-c",
                                        "setsid sh -c 'echo 1 > " + file + "; while [ -e " + file +
                                            " ]; do sleep 0.01; done' & while [ ! -s " + file +
                                            " ]; do sleep 0.01; done; echo said; echo aside >&2"};
    };
    const marker first;
    const marker second;

    const auto heard = run(io, leaving_behind(first.path()), std::string(200'000, 'x'));
    const auto half = run(io, leaving_behind(second.path()), "", 0);

    CHECK(heard.exit == 0);
    CHECK(heard.out == "said\n");
    CHECK(heard.err == "aside");
    CHECK(half.exit == 0);
    CHECK(half.err == "aside");
}

TEST_CASE("a program that never stops writing is killed when it has written too much")
{
    asio::io_context io{1};

    const auto ended = run(io, {"yes"});

    CHECK(ended.out_cut);
    CHECK(ended.out.size() == 1'000);
    CHECK(ended.signal == SIGKILL);
}

TEST_CASE("a program that does not read its input harms nobody")
{
    asio::io_context io{1};
    const disposition deadly(SIGPIPE, SIG_DFL);

    const auto ended = run(io, {"true"}, std::string(1'000'000, 'x'));

    CHECK(ended.exit == 0);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    CHECK(sigismember(&pending, SIGPIPE) == 0);
}

// UBSan opens a pipe to find out whether an object can be read, and takes it for none when there is
// no descriptor left.
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define CUEBOX_SANITIZED
#endif
#endif

TEST_CASE("a program that cannot be started for want of descriptors leaves none open")
{
#ifdef CUEBOX_SANITIZED
    SKIP("sanitized");
#endif
    asio::io_context io{1};
    REQUIRE(run(io, {"true"}).exit == 0); // The loop has what it needs.
    const std::size_t before = open_descriptors();

    for (int left = 0; left < 6; ++left) {
        INFO(left << " left");
        {
            const scarcity few(left);
            CHECK_THROWS_AS(run(io, {"true"}), std::system_error);
        }
        CHECK(open_descriptors() == before);
    }
    CHECK_THROWS_AS(run(io, {"/there/is/no/such/program"}), std::system_error);
    CHECK(open_descriptors() == before);
    CHECK(run(io, {"true"}).exit == 0);
}

// A worker process with handlers of its own, for tests to signal: `test_worker CONFIG DATABASE`.
// It writes to the file JOURNAL what its handlers do, and holds an event until the file RELEASE is
// there.

#include <cuebox/pg/transaction.hpp>
#include <cuebox/runtime/scope.hpp>
#include <cuebox/telemetry/quill_log.hpp>
#include <cuebox/worker/run.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <unistd.h>

using namespace cuebox;

namespace {

struct numbered
{
    std::int64_t number{};
};

std::string variable(const char* name)
{
    const char* found = std::getenv(name);
    return found ? found : "";
}

// In one write to a file opened for appending: lines of several processes do not mix.
void note(std::string_view what, std::int64_t number)
{
    const std::string line =
        std::string(what) + " " + std::to_string(number) + " " + std::to_string(::getpid()) + "\n";
    static const int journal =
        ::open(variable("JOURNAL").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (::write(journal, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        std::abort();
}

awaitable<void> append(delivery<numbered> event)
{
    note("append", event->number);
    co_return;
}

awaitable<void> wait_for_release()
{
    static const std::filesystem::path release = variable("RELEASE");
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (!std::filesystem::exists(release)) {
        timer.expires_after(std::chrono::milliseconds(10));
        co_await timer.async_wait(asio::use_awaitable);
    }
}

awaitable<void> hold(delivery<numbered> event)
{
    note("began", event->number);
    try {
        co_await wait_for_release();
    }
    catch (...) {
        note("cancelled", event->number);
        throw;
    }
    note("done", event->number);
}

// Holds it in a coroutine of its own, as a handler does that has several things to wait for.
awaitable<void> hold_within(delivery<numbered> event)
{
    scope work{co_await asio::this_coro::executor};
    work.spawn(hold(std::move(event)));
    co_await work.join();
}

// Holds the thread itself, as a handler does that waits for something without awaiting it.
void block_until_released(std::int64_t number)
{
    static const std::filesystem::path release = variable("RELEASE");
    note("blocks", number);
    while (!std::filesystem::exists(release))
        ::poll(nullptr, 0, 10);
    note("done", number);
}

awaitable<void> block(delivery<numbered> event)
{
    block_until_released(event->number);
    co_return;
}

constexpr pg::statement insert_effect{.name = "insert effect",
                                      .sql = "insert into effects values ($1)"};

awaitable<void> insert(delivery<numbered> event, pg::transaction& work)
{
    co_await work.execute(insert_effect, event->number);
}

// After it has been to the database and back.
awaitable<void> insert_and_block(delivery<numbered> event, pg::transaction& work)
{
    co_await work.execute(insert_effect, event->number);
    block_until_released(event->number);
}

awaitable<void> offload(delivery<numbered> event)
{
    co_await event.offload([&] { block_until_released(event->number); });
}

worker::worker_config read_config(const char* path)
{
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return worker::parse_config(text, path);
}

int run_worker(const char* path, const char* database)
{
    const auto config = read_config(path);
    registry handlers;
    handlers.add(make_handler<numbered>("test.append", {"test.append"}, &append));
    handlers.add(make_handler<numbered>("test.hold", {"test.hold"}, &hold));
    handlers.add(make_handler<numbered>("test.hold_within", {"test.hold"}, &hold_within));
    handlers.add(make_handler<numbered>("test.insert", {"test.insert"}, &insert));
    handlers.add(make_handler<numbered>("test.block", {"test.block"}, &block));
    handlers.add(make_handler<numbered>("test.insert_and_block", {"test.insert_and_block"},
                                        &insert_and_block));
    handlers.add(make_handler<numbered>("test.offload", {"test.offload"}, &offload));
    const telemetry::logger log(
        telemetry::make_log({.json = config.log.json, .file = config.log.file, .from = {}}),
        config.log.level);
    const pg::connect_options where{.conninfo = database};
    worker::run_options how{
        .database = where, .reread = [path] { return read_config(path); }, .log = log};
    const int code = worker::run(config, handlers, std::move(how));
    telemetry::flush_log();
    return code;
}

}

int main(int argc, char** argv)
{
    if (argc != 3)
        return 2;
    try {
        return run_worker(argv[1], argv[2]);
    }
    catch (const std::exception& error) {
        std::fprintf(stderr, "test_worker: %s\n", error.what());
        return 1;
    }
}

// A worker process with handlers of its own, for tests to signal, with the arguments of `cuebox
// worker`. It writes to the file JOURNAL what its handlers do, and holds an event until the file
// RELEASE is there.

#include <cuebox/handlers/actor_handler.hpp>
#include <cuebox/pg/transaction.hpp>
#include <cuebox/runtime/scope.hpp>
#include <cuebox/worker/main.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
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

struct counted
{
    static constexpr std::string_view event_type = "test.tally";
    static constexpr int event_version = 1;

    std::int64_t number{};
};

// One for the whole process: counts the events of every thread.
struct tally
{
    using messages = cuebox::messages<handle<counted>>;

    awaitable<void> run(self<messages>& me)
    {
        std::int64_t count = 0;
        while (auto message = co_await me.receive()) {
            note("tally", ++count);
            std::get<request<handle<counted>>>(*message).reply(handled{});
        }
    }
};

// Fails at once, in every life.
struct fragile
{
    using messages = cuebox::messages<handle<numbered>>;

    awaitable<void> run(self<messages>&)
    {
        throw std::runtime_error("broken from the start");
        co_return;
    }
};

void furnish(worker::setup& it, address<tally::messages>& tally_at)
{
    if (it.thread() == 0)
        tally_at = it.tree().add<tally>("tally");
    if (!variable("FRAGILE").empty())
        it.tree().add<fragile>("fragile");
    it.handlers()
        .add(make_handler<numbered>("test.append", {"test.append"}, &append))
        .add(make_handler<numbered>("test.hold", {"test.hold"}, &hold))
        .add(make_handler<numbered>("test.hold_within", {"test.hold"}, &hold_within))
        .add(make_handler<numbered>("test.insert", {"test.insert"}, &insert))
        .add(make_handler<numbered>("test.block", {"test.block"}, &block))
        .add(make_handler<numbered>("test.insert_and_block", {"test.insert_and_block"},
                                    &insert_and_block))
        .add(make_handler<numbered>("test.offload", {"test.offload"}, &offload))
        .add(make_actor_handler<counted>("test.tally", it.loop(), tally_at));
}

}

int main(int argc, char** argv)
{
    address<tally::messages> tally_at;
    return worker::main(argc, argv, [&](worker::setup& it) { furnish(it, tally_at); });
}

#pragma once

#include "support/canary.hpp"
#include "support/migrated.hpp"

#include <cuebox/actors/context.hpp>
#include <cuebox/handlers/registry.hpp>
#include <cuebox/outbox/publisher.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <catch2/catch_test_macros.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace cuebox::actors::test {

namespace asio = boost::asio;
using cuebox::outbox::test::migrated;

struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number{};
    std::string buyer;
};

// A handler's run, as the context's observer was told of it.
struct note
{
    std::string handler;
    std::string result;
    int attempts = 0;
};

// What several threads write and a test waits for. Waiting fails after a while, never for ever.
class ledger
{
public:
    template <class Change>
    void change(Change apply)
    {
        const std::lock_guard lock{mutex_};
        apply(*this);
        changed_.notify_all();
    }

    template <class Predicate>
    bool wait(Predicate holds, std::chrono::milliseconds longest = std::chrono::seconds(30))
    {
        std::unique_lock lock{mutex_};
        return changed_.wait_for(lock, longest, [&] { return holds(*this); });
    }

    std::size_t count(std::string_view result) const
    {
        return static_cast<std::size_t>(std::ranges::count(notes, result, &note::result));
    }

    std::vector<note> notes;
    std::vector<std::int64_t> numbers;
    std::vector<std::string> lines;
    // A line had a password or a payload in it.
    bool leaked = false;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
};

// A context on a thread of its own, as a service would run it.
class running_context
{
public:
    // Polls are so far apart that only a NOTIFY can be what woke it, unless a test says otherwise.
    static context_options options(const migrated& database, std::string name = "billing")
    {
        context_options made;
        made.name = std::move(name);
        made.generation = 7;
        made.line = database.options();
        made.settings.safety_poll = std::chrono::hours(1);
        made.settings.gauge = std::chrono::hours(1);
        return made;
    }

    running_context(const pg::connect_options& database, const registry& handlers, ledger& book,
                    context_options how)
        : book_(book),
          pool_({.connect = database}),
          context_(loop_, pool_, handlers.take(), observed(std::move(how), book))
    {
        context_.start();
        thread_ = std::thread([this] { io_.run(); });
    }
    running_context(const migrated& database, const registry& handlers, ledger& book,
                    context_options how)
        : running_context(database.options(), handlers, book, std::move(how))
    {}
    running_context(const migrated& database, const registry& handlers, ledger& book)
        : running_context(database, handlers, book, options(database))
    {}

    ~running_context() { stop(); }

    void stop()
    {
        if (!thread_.joinable())
            return;
        context_.stop();
        asio::co_spawn(io_, context_.ended(), asio::use_future).get();
        asio::post(io_, [this] { pool_.close(); });
        guard_.reset();
        thread_.join();
        CHECK_FALSE(book_.leaked);
    }

    template <class T>
    T ask(awaitable<T> question)
    {
        return asio::co_spawn(io_, std::move(question), asio::use_future).get();
    }
    cuebox::context& context() noexcept { return context_; }

    // Until it listens, and has drained what was there.
    void wait_until_listening()
    {
        for (;;) {
            try {
                if (ask(context_.line()).listening)
                    return;
            }
            catch (const ask_error&) {
                // Not started yet.
            }
        }
    }

private:
    static context_options observed(context_options how, ledger& book)
    {
        how.observer = [&book](const handling::handled_note& told) {
            book.change([&](ledger& all) {
                all.notes.push_back(
                    {std::string(told.handler), std::string(told.result), told.attempts});
            });
        };
        how.log = telemetry::logger(
            [&book](const telemetry::line& line) {
                const bool leaks = leaks_secret(line);
                book.change([&](ledger& all) {
                    all.leaked = all.leaked || leaks;
                    if (line.level >= telemetry::level::warning)
                        all.lines.emplace_back(line.message);
                });
            },
            telemetry::level::debug);
        return how;
    }

    static bool leaks_secret(const telemetry::line& line)
    {
        return std::ranges::any_of(line.fields, [](const telemetry::field& each) {
            const auto* text = std::get_if<std::string>(&each.value);
            return text && cuebox::test::canary::heard(*text);
        });
    }

    ledger& book_;
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
    cuebox::loop loop_{io_.get_executor()};
    pg::pool pool_;
    cuebox::context context_;
    std::thread thread_;
};

// Publishes from a connection of its own, one transaction each.
class shop
{
public:
    explicit shop(const migrated& database) : options_(database.options()) {}
    explicit shop(pg::connect_options database) : options_(std::move(database)) {}

    event::uuid place(std::int64_t number, outbox::event_options how = {})
    {
        return outbox::test::run(publish(options_, number, std::move(how)));
    }
    // Many in one transaction.
    void place_many(std::int64_t count, outbox::event_options how = {})
    {
        outbox::test::run(publish_many(options_, count, std::move(how)));
    }

private:
    static outbox::publisher publisher()
    {
        return outbox::publisher{{.source = "shop", .generation = 7}};
    }
    static pg::awaitable<event::uuid> publish(pg::connect_options where, std::int64_t number,
                                              outbox::event_options how)
    {
        pg::connection connection = co_await pg::connect(where);
        pg::transaction work{connection};
        const order_placed placed{.number = number,
                                  .buyer = std::string(cuebox::test::canary::payload)};
        const auto id = co_await publisher().publish(work, placed, how);
        co_await work.commit();
        co_return id;
    }
    static pg::awaitable<void> publish_many(pg::connect_options where, std::int64_t count,
                                            outbox::event_options how)
    {
        pg::connection connection = co_await pg::connect(where);
        pg::transaction work{connection};
        std::vector<outbox::outgoing> events;
        for (std::int64_t i = 0; i < count; ++i) {
            const order_placed placed{.number = i,
                                      .buyer = std::string(cuebox::test::canary::payload)};
            events.push_back(publisher().prepare(placed, how));
        }
        co_await publisher().publish(work, std::move(events));
        co_await work.commit();
    }

    pg::connect_options options_;
};

}

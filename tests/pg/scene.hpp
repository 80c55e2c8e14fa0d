#pragma once

#include "refusal.hpp"
#include "support/cluster.hpp"
#include "support/database.hpp"
#include "support/psql.hpp"

#include <cuebox/embedded/cluster.hpp>
#include <cuebox/pg/connection.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

namespace cuebox::pg::test {

// A coroutine under way, which the test can cancel.
template <class T>
class task
{
public:
    bool done() const { return shared_->done; }
    void cancel() { shared_->signal.emit(asio::cancellation_type::terminal); }

private:
    friend class stage;
    using value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

    struct shared
    {
        asio::cancellation_signal signal{};
        std::optional<value> result{};
        std::exception_ptr failure{};
        bool done = false;
    };
    std::shared_ptr<shared> shared_ = std::make_shared<shared>();
};

// Runs coroutines on this thread, on a context of its own. A test that hangs fails.
class stage
{
public:
    template <class T>
    task<T> start(awaitable<T> work)
    {
        task<T> started;
        const auto shared = started.shared_;
        asio::co_spawn(context_, keep<T>(std::move(work), shared),
                       asio::bind_cancellation_slot(shared->signal.slot(),
                                                    [shared](std::exception_ptr failure) {
                                                        shared->failure = failure;
                                                        shared->done = true;
                                                    }));
        return started;
    }

    // To its end; throws what it threw.
    template <class T>
    T finish(const task<T>& started)
    {
        until([&started] { return started.done(); });
        if (started.shared_->failure)
            std::rethrow_exception(started.shared_->failure);
        if constexpr (!std::is_void_v<T>)
            return std::move(*started.shared_->result);
    }

    template <class T>
    T run(awaitable<T> work)
    {
        return finish(start(std::move(work)));
    }

    // Until something has come true.
    template <class Predicate>
    void until(Predicate holds)
    {
        context_.restart();
        while (!holds())
            if (context_.run_one_for(std::chrono::seconds(60)) == 0)
                throw std::runtime_error("nothing happened for a minute, or nothing is left to do");
    }

    // Whatever can run at once.
    void settle()
    {
        context_.restart();
        context_.poll();
    }

    asio::io_context& context() { return context_; }

private:
    template <class T>
    static awaitable<void> keep(awaitable<T> work, std::shared_ptr<typename task<T>::shared> into)
    {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(work);
        }
        else {
            T result = co_await std::move(work);
            into->result.emplace(std::move(result));
        }
    }

    asio::io_context context_{1};
};

// Asks until it is so; each question takes its time, so there is nothing to sleep for.
template <class Predicate>
bool eventually(Predicate holds, std::chrono::seconds within = std::chrono::seconds(30))
{
    const auto deadline = clock::now() + within;
    while (!holds())
        if (clock::now() > deadline)
            return false;
    return true;
}

// A stage with a schema of its own in the cluster's database, which is quicker made than a database
// of its own, and a name that its connections go by.
class scene : public stage
{
public:
    scene() : scene("postgres") {}
    ~scene()
    {
        if (database_ == "postgres")
            see("drop schema if exists " + name_ + " cascade");
    }

    connect_options options() const { return {.conninfo = conninfo(database_, 0) + names()}; }
    // Over TCP, through a gate.
    connect_options options_by(int port) const
    {
        return {.conninfo = conninfo(database_, port) + names()};
    }
    connection open() { return run(connect(options())); }

    // With other eyes.
    std::string see(std::string_view sql) const
    {
        return cuebox::test::psql(conninfo(database_, 0) + search_path(), sql);
    }

    // How many connections of this test the server has.
    int backends() const { return std::stoi(see(count("true"))); }
    // Whether one of them runs such a statement.
    bool running(std::string_view part) const
    {
        return see(count("state = 'active' and query like '%" + std::string(part) + "%'")) != "0";
    }

protected:
    explicit scene(std::string database)
        : database_(std::move(database)),
          name_("test_" + embedded::new_password().substr(0, 16))
    {
        cuebox::test::psql(conninfo(database_, 0), "create schema " + name_);
    }

private:
    static std::string conninfo(const std::string& database, int port)
    {
        const auto& cluster = cuebox::test::the_cluster();
        return port ? cluster.tcp_conninfo(database, port) : cluster.conninfo(database);
    }
    std::string search_path() const { return " options='-c search_path=" + name_ + "'"; }
    std::string names() const { return search_path() + " application_name=" + name_; }
    std::string count(const std::string& which) const
    {
        return "select count(*) from pg_stat_activity where application_name = '" + name_ +
               "' and " + which;
    }

    std::string database_;
    std::string name_;
};

// With a database of its own, for what a schema does not separate, such as channels.
class own_database
{
protected:
    cuebox::test::database owned_;
};
class database_scene : private own_database, public scene
{
public:
    database_scene() : scene(owned_.name()) {}
};

// Whether the action was cancelled, as Asio says it.
template <class Action>
bool cancelled(Action action)
{
    try {
        action();
    }
    catch (const boost::system::system_error& failure) {
        return failure.code() == asio::error::operation_aborted;
    }
    return false;
}

}

#include "run.hpp"

#include <cuebox/cli/command.hpp>
#include <cuebox/pg/cancels.hpp>
#include <cuebox/pg/error.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <exception>

namespace cuebox::cli {

namespace asio = boost::asio;

namespace {

// How long the server has to take a request to stop what this process leaves behind.
constexpr std::chrono::seconds cancels_within{2};

[[noreturn]] void rethrow_in_words(const std::exception_ptr& what)
{
    try {
        std::rethrow_exception(what);
    }
    catch (const pg::error& error) {
        // No such schema, table or function.
        if (error.sqlstate() == "3F000" || error.sqlstate() == "42P01" ||
            error.sqlstate() == "42883")
            throw failure{"the database has no Cuebox schema, or an old one: run `cuebox migrate`"};
        throw;
    }
}

}

int run(asio::awaitable<int> command, when_interrupted then)
{
    asio::io_context io{1};
    asio::cancellation_signal stop;
    asio::signal_set signals{io, SIGINT, SIGTERM, SIGQUIT};
    bool interrupted = false;
    signals.async_wait([&](const boost::system::error_code& error, int) {
        interrupted = !error;
        if (interrupted)
            stop.emit(asio::cancellation_type::terminal);
    });

    std::exception_ptr thrown;
    int code = failed;
    asio::co_spawn(
        io, std::move(command),
        asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr why, int given) {
            thrown = why;
            code = given;
            signals.cancel();
        }));
    io.run();
    // Whatever ended it: a statement that was abandoned would else run on, and commit.
    const bool stopped = pg::wait_for_cancels(cancels_within);
    if (interrupted && then == when_interrupted::ends)
        return done;
    if (interrupted)
        throw failure{stopped ? "interrupted: what was committed stays, the rest is undone"
                              : "interrupted, and the server does not answer: what it was doing "
                                "may still be done"};
    if (thrown)
        rethrow_in_words(thrown);
    return code;
}

}

#include "listener.hpp"

#include <cuebox/pg/connection.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace bench::publish {

namespace asio = boost::asio;
namespace pg = cuebox::pg;

struct listener::state
{
    asio::io_context io{1};
    std::promise<void> ready;
    std::promise<void> first; // notification
    std::future<void> first_heard = first.get_future();
    std::uint64_t heard = 0;
    std::thread thread;

    pg::awaitable<void> listen(pg::connect_options where, std::string channel)
    {
        std::exception_ptr failed;
        try {
            pg::connection connection = co_await pg::connect(where);
            co_await connection.listen(channel);
            ready.set_value();
            for (;;) {
                const auto got = co_await connection.next_notification(std::chrono::seconds(1));
                if (got && heard++ == 0)
                    first.set_value();
            }
        }
        catch (...) {
            failed = std::current_exception();
        }
        ready.set_exception(failed);
    }
};

listener::listener(pg::connect_options where, std::string channel)
    : state_(std::make_unique<state>())
{
    asio::co_spawn(state_->io, state_->listen(std::move(where), std::move(channel)),
                   asio::detached);
    state_->thread = std::thread([io = &state_->io] { io->run(); });
    state_->ready.get_future().get();
}

listener::~listener()
{
    state_->io.stop();
    state_->thread.join();
}

void listener::expect_some() const
{
    if (state_->first_heard.wait_for(std::chrono::seconds(5)) != std::future_status::ready)
        throw std::runtime_error("events were published and no listener was woken");
}

}

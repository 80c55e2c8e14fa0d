#include "producers.hpp"

#include "database.hpp"

#include <cuebox/outbox/waker.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <vector>

namespace bench::publish {
namespace {

namespace asio = boost::asio;
namespace pg = cuebox::pg;

class crew
{
public:
    explicit crew(const producer_rules& rules) : rules_(rules) {}

    void connect(const pg::connect_options& where)
    {
        for (std::size_t i = 0; i < rules_.producers; ++i)
            asio::co_spawn(io_, connect_one(where),
                           [this](std::exception_ptr failed) { note(failed); });
        run_to_end();
        pool_.emplace(pg::pool_options{.connect = where});
        if (rules_.waker)
            waker_.emplace(*pool_);
    }

    cuebox::outbox::waker* waker() { return waker_ ? &*waker_ : nullptr; }

    void publish(const producer& each, std::uint64_t share, stopwatch& watch)
    {
        if (waker_)
            asio::co_spawn(
                io_, waker_->run(),
                asio::bind_cancellation_slot(stop_waker_.slot(), [](const std::exception_ptr&) {}));
        working_ = connections_.size();
        watch.start();
        for (std::size_t i = 0; i < connections_.size(); ++i)
            asio::co_spawn(io_, each(connections_[i], i * share, share),
                           [this, &watch](std::exception_ptr failed) {
                               note(failed);
                               if (--working_ > 0)
                                   return;
                               watch.stop();
                               stop_waker_.emit(asio::cancellation_type::terminal);
                           });
        run_to_end();
    }

private:
    pg::awaitable<void> connect_one(pg::connect_options where)
    {
        pg::connection made = co_await pg::connect(where);
        connections_.push_back(std::move(made));
    }

    void note(const std::exception_ptr& failed)
    {
        if (failed && !failed_)
            failed_ = failed;
    }

    void run_to_end()
    {
        io_.restart();
        io_.run();
        if (failed_)
            std::rethrow_exception(failed_);
    }

    producer_rules rules_;
    asio::io_context io_{1};
    asio::cancellation_signal stop_waker_;
    std::optional<pg::pool> pool_;
    std::optional<cuebox::outbox::waker> waker_;
    std::vector<pg::connection> connections_;
    std::size_t working_ = 0;
    std::exception_ptr failed_;
};

}

sample run_producers(const producer_rules& rules, std::uint64_t messages, make_producer make)
{
    auto& database = the_database();
    database.clear();
    const auto steps = std::max<std::uint64_t>(1, messages / rules.producers / rules.step);
    const auto share = steps * rules.step;

    crew crew{rules};
    crew.connect(database.options());
    stopwatch watch;
    crew.publish(make(crew.waker()), share, watch);
    return watch.take(share * rules.producers, database.rows());
}

}

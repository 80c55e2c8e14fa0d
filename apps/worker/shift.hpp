#pragma once

#include <cuebox/actors/context.hpp>
#include <cuebox/worker/config.hpp>
#include <cuebox/worker/endpoint.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace cuebox::worker {

// A thread, its loop and its connections, shared by the contexts that live there.
class shift
{
public:
    shift(const pg::connect_options& database, std::size_t connections);
    // Stops what runs.
    ~shift();
    shift(const shift&) = delete;
    shift& operator=(const shift&) = delete;

    void add(context_plan plan);

    // Takes over what a config says differently; what needs a restart is said and left.
    void update(const context_plan& plan, const telemetry::logger& log);

    // Whoever gives up is told of, on this shift's thread.
    void start(std::function<void(const std::string&)> gave_up);
    void stop();
    // Waits until all have ended; false when one gave up.
    bool join();

    // Its contexts, for whoever wants to know how they are while it lives.
    std::vector<watched_context> watch() const;

private:
    struct member
    {
        std::unique_ptr<cuebox::context> context;
        duration heartbeat;
    };

    static awaitable<bool> watch_end(context& whom,
                                     std::function<void(const std::string&)> gave_up);

    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
    cuebox::loop loop_{io_.get_executor()};
    pg::pool pool_;
    std::vector<member> members_;
    std::vector<std::future<bool>> endings_;
    std::thread thread_;
};

}

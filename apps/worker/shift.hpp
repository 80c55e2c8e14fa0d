#pragma once

#include <cuebox/actors/context.hpp>
#include <cuebox/worker/config.hpp>
#include <cuebox/worker/endpoint.hpp>
#include <cuebox/worker/setup.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace cuebox::worker {

// A thread, its loop and its connections, shared by the contexts that live there and by the actors
// that the program has put beside them.
class shift
{
public:
    using complaint = std::function<void(const std::string&)>;

    shift();
    ~shift();
    shift(const shift&) = delete;
    shift& operator=(const shift&) = delete;

    // Has the program add its handlers and actors; once, and first.
    void furnish(const equipment& equip, std::size_t thread, std::size_t threads);
    const registry& handlers() const noexcept { return handlers_; }

    // Before contexts are added.
    void open(const pg::connect_options& database, std::size_t connections,
              const telemetry::logger& log);
    void add(context_plan plan);

    // Takes over what a config says differently; what needs a restart is said and left.
    void update(const context_plan& plan, const telemetry::logger& log);

    // Whoever gives up is told of, on this shift's thread. The program's actors first.
    void start_actors(const complaint& gave_up);
    void start(const complaint& gave_up);
    // The contexts; the program's actors go on until close().
    void stop();
    // Waits until all contexts have ended; false when one gave up.
    bool join();
    // Then the actors and the thread; false when the actors had given up.
    bool close();
    // Stops whatever runs, and lets the contexts go: with them, what they were given.
    void dismiss();

    // Its contexts, for whoever wants to know how they are while it lives.
    std::vector<watched_context> watch() const;

private:
    struct member
    {
        std::unique_ptr<cuebox::context> context;
        duration heartbeat;
    };

    static awaitable<bool> watch_end(context& whom, complaint gave_up);
    static awaitable<bool> watch_actors(tree& whom, complaint gave_up);

    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
    cuebox::loop loop_{io_.get_executor()};
    cuebox::tree actors_{loop_, "actors"};
    registry handlers_;
    std::optional<pg::pool> pool_;
    std::vector<member> members_;
    std::vector<std::future<bool>> endings_;
    std::future<bool> actors_ending_;
    std::thread thread_;
};

}

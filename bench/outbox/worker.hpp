#pragma once

#include "event.hpp"
#include "session.hpp"
#include "task.hpp"
#include "times.hpp"

#include <cuebox/actors/context.hpp>
#include <cuebox/handlers/registry.hpp>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

namespace bench::outbox {

// A context with one handler, on a thread of its own, as a service has it.
class worker
{
public:
    // Told of each event, on the worker's thread.
    using observer = std::function<void(const bench_event&)>;

    worker(const task& wanted, std::int64_t generation, observer seen = [](const bench_event&) {});
    ~worker();
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    void start() { context_->start(); }
    std::int64_t handled() const noexcept { return handled_.load(std::memory_order_relaxed); }

    void wait_until_listening();
    // Until the commit of so many is known here.
    void wait_until_settled(std::int64_t expected) const;
    // Where others work as well, only the database knows. Gives when this one settled its last.
    steady::time_point wait_until_nothing_is_left(session& side) const;
    bool has_open(session& side) const;

private:
    cuebox::registry handlers(const task& wanted);
    void count(const bench_event& event);
    std::int64_t settled() const;

    observer seen_;
    std::int64_t generation_;
    std::atomic<std::int64_t> handled_{0};
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
    cuebox::loop loop_{io_.get_executor()};
    std::optional<pg::pool> pool_;
    std::optional<cuebox::context> context_;
    std::thread thread_;
};

}

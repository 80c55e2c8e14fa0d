#pragma once

#include <cuebox/actors/context.hpp>
#include <cuebox/http/server.hpp>
#include <cuebox/telemetry/metrics.hpp>

#include <boost/asio/io_context.hpp>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace cuebox::worker {

// A context that is looked at.
struct watched_context
{
    const context* whom = nullptr;
    // Of those of its name in this process.
    std::size_t copy = 1;
    // How long the database may be silent before the context counts as not ready.
    duration silence_max = std::chrono::seconds(10);
};

struct endpoint_options
{
    http::server_options where{};
    std::string version{};
    telemetry::logger log{};
    // Further families: of alerts, of traces. May be empty.
    std::function<void(telemetry::exposition&)> more{};
};

// What a process tells of itself over HTTP, from a thread of its own:
//
//     /metrics   Prometheus's text format
//     /healthz   200 while every context runs
//     /readyz    200 while every context takes events
//
// Nothing of it waits: neither for the database (what is counted there is what the contexts' gauges
// read last) nor for a context, whose loop may be busy.
class endpoint
{
public:
    // Takes the address; throws http::error when that cannot be had. Metrics and contexts must
    // outlive it.
    endpoint(endpoint_options options, const telemetry::metrics& metrics,
             std::vector<watched_context> contexts);
    ~endpoint();
    endpoint(const endpoint&) = delete;
    endpoint& operator=(const endpoint&) = delete;

    const std::string& address() const noexcept { return server_.address(); }
    // Returns when nothing is being answered any more. Twice is fine.
    void stop();

private:
    awaitable<http::response> answer(http::request asked) const;
    http::response respond(const http::request& asked) const;
    std::vector<actors::context_health> look() const;
    std::string print(const std::vector<actors::context_health>& all) const;

    endpoint_options options_;
    const telemetry::metrics& metrics_;
    std::vector<watched_context> contexts_;
    asio::io_context io_{1};
    http::server server_;
    std::thread thread_;
};

}

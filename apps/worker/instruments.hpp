#pragma once

#include <cuebox/worker/endpoint.hpp>
#include <cuebox/worker/run.hpp>

#include <memory>
#include <vector>

namespace cuebox::worker {

// What lets a process be seen from outside: metrics and where they are served, alerts, traces; as
// its config says. Made before the contexts, and outlives them.
class instruments
{
public:
    // Throws what is wrong with an address or a receiver's name.
    instruments(const worker_config& config, const run_options& options);
    ~instruments();

    // Before a context is made of them.
    void attach(context_options& options);
    // Before the contexts start; does nothing unless the config says where.
    void open_endpoint(std::vector<watched_context> contexts);
    // When the contexts have ended, and before their loops come to rest. Sends what waits, for a
    // few seconds.
    void close();

private:
    void print_senders(telemetry::exposition& out) const;

    struct senders;
    std::optional<http_config> where_;
    std::string version_;
    telemetry::logger log_;
    telemetry::metrics metrics_;
    std::unique_ptr<senders> senders_;
    std::unique_ptr<endpoint> endpoint_;
};

}

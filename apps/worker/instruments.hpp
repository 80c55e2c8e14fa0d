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
    // None unless the config says where. It must be gone before the contexts are.
    std::unique_ptr<endpoint> open_endpoint(std::vector<watched_context> contexts) const;
    // When the contexts have ended: sends what waits, for a few seconds, and says what was not
    // sent.
    void close();

private:
    void print_senders(telemetry::exposition& out) const;

    struct senders;
    std::optional<http_config> where_;
    std::string version_;
    telemetry::logger log_;
    telemetry::metrics metrics_;
    std::unique_ptr<senders> senders_;
};

}

#pragma once

#include <cuebox/worker/setup.hpp>
#include <cuebox/worker/shift.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace cuebox::worker {

// The threads of a worker, furnished by the program, and what stops them all.
class crew
{
public:
    // Calls `equip` for each thread. Throws what is wrong with a handler before anything runs.
    crew(worker_config config, const equipment& equip);

    const worker_config& config() const noexcept { return config_; }
    // What would run, for people and for machines.
    std::string describe() const;
    std::string describe_json() const;

    // The contexts of a config, with the handlers of these threads. Throws what is wrong with it.
    std::vector<context_plan> plans(const worker_config& config) const;

    // Makes the contexts, each after `prepare` has completed its options.
    void open(const pg::connect_options& database, const telemetry::logger& log,
              const std::function<void(context_options&)>& prepare);
    // Each context with its number among those of its name.
    std::vector<watched_context> watch() const;

    // Takes over what a config says differently. Throws what is wrong with it, and changes nothing.
    void update(const worker_config& again, const telemetry::logger& log);
    // From any thread, and before the start too.
    void stop();
    // Runs them to their end; false when one gave up, and with it all.
    bool run(const telemetry::logger& log);
    // Lets the contexts go, before what they were given is gone.
    void dismiss();

private:
    worker_config config_;
    std::vector<std::unique_ptr<shift>> shifts_;
    std::atomic<bool> stopping_{false};
};

}

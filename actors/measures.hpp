#pragma once

#include <cuebox/handling/handler_set.hpp>
#include <cuebox/handling/verdict.hpp>
#include <cuebox/telemetry/metrics.hpp>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace cuebox::actors {

// How a run of a handler ended, as logs and metrics call it.
enum class run_result : std::size_t
{
    delivered,
    retry,
    failed,
    released,
    duplicate
};
inline constexpr std::size_t run_results = 5;

std::string_view to_string(run_result result) noexcept;
run_result result_of(const handling::handler_run& run, const policy::verdict& verdict) noexcept;

// What a context counts, each series looked up once. The metrics must outlive it.
class measures
{
public:
    measures(telemetry::metrics& in, const std::string& context,
             const handling::handler_set& handlers);

    // One handler is through with a row that was published, or due, so long ago.
    void run(std::string_view handler, run_result result, std::chrono::nanoseconds took,
             std::chrono::nanoseconds since_published);
    // What became of a row.
    void settled(const policy::verdict& verdict);
    // A row was taken back from a dead worker.
    void reaped(bool failed);
    // The context's loop stood still; by which handler, if it was one.
    void stalled(std::string_view handler);

private:
    struct of_handler
    {
        std::array<telemetry::counter*, run_results> runs{};
        std::array<telemetry::histogram*, run_results> took{};
        telemetry::histogram* latency = nullptr;
    };

    telemetry::metrics& in_;
    std::string context_;
    std::map<std::string, of_handler, std::less<>> handlers_;
    telemetry::counter& delivered_;
    telemetry::counter& retried_;
    telemetry::counter& failed_;
    telemetry::counter& released_;
    telemetry::counter& reaped_;
};

}

#include <cuebox/otel/otel.hpp>

#include <cstdio>

int main()
{
    using namespace std::chrono_literals;
    // Nobody listens on port 1.
    cuebox::otel::exporter exporter{
        {.endpoint = "http://127.0.0.1:1/v1/traces", .service = "hello"}};

    exporter.sink()({.context = cuebox::event::new_trace(), .name = "greet"});
    const bool stopped = exporter.stop(60s);

    const auto counts = exporter.counts();
    std::printf("%d exported, %d dropped\n", int(counts.exported), int(counts.dropped));
    return stopped ? 0 : 1;
}

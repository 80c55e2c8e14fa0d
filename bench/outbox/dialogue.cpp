#include "dialogue.hpp"

#include <cuebox/event/encode.hpp>

#include <iostream>
#include <string>

namespace bench::outbox {

struct done_line
{
    std::string phase = "done";
    std::int64_t events = 0;
    double seconds = 0;
    std::optional<percentiles> latency_ms{};
    std::optional<std::vector<std::int64_t>> per_second{};
};

namespace {

void wait_for_line()
{
    std::string line;
    std::getline(std::cin, line);
}

}

void say_ready_and_wait()
{
    std::cout << R"({"phase": "ready"})" << std::endl;
    wait_for_line();
}

void say_done_and_wait(const figures& what)
{
    const done_line line{.events = what.events,
                         .seconds = what.seconds,
                         .latency_ms = what.latency_ms,
                         .per_second = what.per_second};
    std::cout << cuebox::event::encode(line) << std::endl;
    wait_for_line();
}

}

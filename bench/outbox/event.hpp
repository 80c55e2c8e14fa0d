#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench::outbox {

// About 200 bytes of JSON, as the peers have it too.
struct bench_event
{
    static constexpr std::string_view event_type = "cuebox.bench";
    static constexpr int event_version = 1;

    std::int64_t number{};
    // When, by the steady clock of this process, in nanoseconds.
    std::int64_t sent{};
    std::string filling = std::string(150, 'x');
};

}

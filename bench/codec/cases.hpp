#pragma once

#include "../support/suite.hpp"
#include "payload.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

// Each system registers its cases for the workloads of payload.hpp.
namespace bench::codec {

void add_cuebox_cases(suite& suite);
void add_taojson_cases(suite& suite);

// Encodes the order again and again; `encode` takes it and returns a text, whose size is looked at
// so that none of it can be left out.
template <class Encode>
sample time_encoding(std::uint64_t messages, Encode encode)
{
    const auto payload = make_order();
    const std::size_t size = encode(payload).size();
    std::uint64_t same = 0;
    stopwatch watch;
    watch.start();
    for (std::uint64_t i = 0; i < messages; ++i)
        same += encode(payload).size() == size ? 1 : 0;
    watch.stop();
    return watch.take(messages, same);
}

// Decodes a text again and again; `decode` takes it and returns the order.
template <class Decode>
sample time_decoding(std::uint64_t messages, std::string_view text, Decode decode)
{
    const auto payload = make_order();
    if (!(decode(text) == payload))
        throw std::runtime_error("what was decoded is not what was encoded");
    std::uint64_t same = 0;
    stopwatch watch;
    watch.start();
    for (std::uint64_t i = 0; i < messages; ++i) {
        const auto& decoded = decode(text);
        same += decoded.items.size() == 4 && decoded.number == payload.number ? 1 : 0;
    }
    watch.stop();
    return watch.take(messages, same);
}

}

#include "cases.hpp"

#include <cuebox/event/decode.hpp>
#include <cuebox/event/encode.hpp>

// As a handler and a publisher use it, and with the memory of the last payload used again.
namespace bench::codec {
namespace {

namespace event = cuebox::event;

sample encode(std::uint64_t messages)
{
    return time_encoding(messages, [](const order& payload) { return event::encode(payload); });
}

sample encode_reused(std::uint64_t messages)
{
    std::string text;
    return time_encoding(messages, [&text](const order& payload) -> const std::string& {
        text.clear();
        event::encode_into(text, payload);
        return text;
    });
}

sample decode_text(std::uint64_t messages, std::string_view json)
{
    return time_decoding(messages, json,
                         [](std::string_view text) { return event::decode<order>(text); });
}

sample decode_text_reused(std::uint64_t messages, std::string_view json)
{
    order payload;
    return time_decoding(messages, json, [&payload](std::string_view text) -> const order& {
        event::decode_into(payload, text);
        return payload;
    });
}

sample decode(std::uint64_t messages)
{
    return decode_text(messages, event::encode(make_order()));
}

sample decode_reused(std::uint64_t messages)
{
    return decode_text_reused(messages, event::encode(make_order()));
}

sample decode_jsonb(std::uint64_t messages)
{
    return decode_text(messages, order_from_jsonb());
}

sample decode_jsonb_reused(std::uint64_t messages)
{
    return decode_text_reused(messages, order_from_jsonb());
}

}

void add_cuebox_cases(suite& suite)
{
    using namespace systems;
    constexpr auto* note = "every limit checked: UTF-8, depth, size, range, a key twice";
    suite.add({workloads::encode, cuebox, 400'000, encode, note});
    suite.add({workloads::encode, cuebox_reused, 400'000, encode_reused,
               "encode_into a string that keeps its memory"});
    suite.add({workloads::decode, cuebox, 300'000, decode, note});
    suite.add({workloads::decode, cuebox_reused, 300'000, decode_reused,
               "decode_into a struct that keeps its memory"});
    suite.add({workloads::decode_jsonb, cuebox, 300'000, decode_jsonb, ""});
    suite.add({workloads::decode_jsonb, cuebox_reused, 300'000, decode_jsonb_reused, ""});
}

}

#include "target.hpp"

#include <cuebox/event/check.hpp>
#include <cuebox/event/decode.hpp>
#include <cuebox/event/encode.hpp>
#include <cuebox/event/error.hpp>

#include <tao/json/events/discard.hpp>
#include <tao/json/events/from_string.hpp>

#include <array>

namespace fuzz_payload {

using namespace cuebox::event;

enum class colour
{
    red,
    green
};

struct circle
{
    double radius = 0;
    static constexpr std::string_view tag = "circle";

    bool operator==(const circle&) const = default;
};

struct label
{
    std::string text;
    std::optional<std::string> note;
    static constexpr std::string_view tag = "label";

    bool operator==(const label&) const = default;
};

// Everything optional, so that short inputs get far.
struct everything
{
    std::optional<bool> b;
    std::optional<std::int8_t> i8;
    std::optional<std::int64_t> i64;
    std::optional<std::uint64_t> u64;
    std::optional<double> d;
    std::optional<std::string> s;
    std::optional<colour> e;
    std::optional<uuid> id;
    std::optional<timestamp> at;
    std::vector<std::variant<circle, label>> v;
    std::map<std::string, std::vector<std::optional<int>>> m;
    std::optional<std::array<int, 2>> pair;
    std::vector<everything> in;
    int def = 1;

    static constexpr std::string_view defaulted[] = {"v", "m", "in", "def"};

    bool operator==(const everything&) const = default;
};

// Whether it is JSON, the limits aside. Unknown when taoJSON stopped at a number that is too large
// for it, which it tells with another exception.
std::optional<bool> taojson_takes(std::string_view json)
{
    try {
        tao::json::events::discard consumer;
        tao::json::events::from_string(consumer, json);
    }
    catch (const tao::json::pegtl::parse_error&) {
        return false;
    }
    catch (const std::runtime_error&) {
        return std::nullopt;
    }
    return true;
}

void what_decodes_encodes_to_the_same(std::string_view json)
{
    everything first;
    try {
        decode_into(first, json);
    }
    catch (const payload_error&) {
        return;
    }
    std::string text;
    encode_into(text, first, {.bytes = 16 * payload_max});
    cuebox::fuzz::require(decode<everything>(text) == first, "what decodes, encodes to the same");
    check_json(text);

    everything reused = first;
    decode_into(reused, text);
    cuebox::fuzz::require(reused == first, "a used value decodes to the same");
}

void agrees_with_taojson(std::string_view json)
{
    try {
        check_json(json);
    }
    catch (const payload_error& refused) {
        // Of what is refused, only what is called no JSON has to be refused by others too. Nor is a
        // text compared that is so deep that taoJSON runs out of stack.
        if (refused.why().starts_with("not JSON"))
            cuebox::fuzz::require(taojson_takes(json) != true, "what is called no JSON is none");
        return;
    }
    cuebox::fuzz::require(taojson_takes(json) != false, "what is called JSON is JSON");
}

}

template <>
struct cuebox::event::enum_names<fuzz_payload::colour>
{
    static constexpr std::pair<std::string_view, fuzz_payload::colour> values[] = {
        {"red", fuzz_payload::colour::red},
        {"green", fuzz_payload::colour::green},
    };
};

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto json = cuebox::fuzz::as_text(data, size);
    fuzz_payload::what_decodes_encodes_to_the_same(json);
    fuzz_payload::agrees_with_taojson(json);
    return 0;
}

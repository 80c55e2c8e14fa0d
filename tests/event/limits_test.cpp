#include "refusal.hpp"

#include <cuebox/event/check.hpp>
#include <cuebox/event/limits.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::event;
using namespace cuebox::event::test;

namespace event_limits_test {

// A list of lists of lists.
struct nest
{
    std::vector<nest> in;

    bool operator==(const nest&) const = default;
};

// Each nest is an object and an array.
nest nested(std::size_t levels)
{
    nest outer;
    for (std::size_t i = 2; i < levels; i += 2)
        outer = nest{{outer}};
    return outer;
}

std::string repeated(std::string_view text, std::size_t times)
{
    std::string all;
    for (std::size_t i = 0; i < times; ++i)
        all += text;
    return all;
}

std::string deep(std::size_t levels)
{
    return R"({"a":)" + repeated("[", levels - 1) + repeated("]", levels - 1) + "}";
}

std::string check(std::string_view json)
{
    return refusal([json] { check_payload(json); });
}

}

using namespace event_limits_test;

TEST_CASE("64 levels are written and read, the 65th is refused with its path", "[event]")
{
    REQUIRE(decode<nest>(encode(nested(64))) == nested(64));
    REQUIRE(refusal_to_encode(nested(66)) ==
            repeated("/in/0", 32) + ": nested deeper than 64 levels");
}

TEST_CASE("a text of 65 levels is refused wherever it stands", "[event]")
{
    REQUIRE(check(deep(64)) == "not refused");
    REQUIRE(refusal_of<one<raw_json>>(deep(64)) == "not refused");

    const auto refused = "/a" + repeated("/0", 63) + ": nested deeper than 64 levels";
    REQUIRE(check(deep(65)) == refused);
    REQUIRE(refusal_of<one<raw_json>>(deep(65)) == refused);
    REQUIRE(refusal_of<one<std::optional<int>>>(deep(65).replace(2, 1, "b")) ==
            "/b" + repeated("/0", 63) + ": nested deeper than 64 levels");
}

TEST_CASE("raw JSON counts from where it stands", "[event]")
{
    const auto levels = [](std::size_t count) {
        return one<raw_json>{{repeated("[", count) + repeated("]", count)}};
    };

    REQUIRE(encode(levels(63)).size() == 5 + 126 + 1);
    REQUIRE(refusal_to_encode(levels(64)).ends_with("nested deeper than 63 levels"));
}

TEST_CASE("a payload may have 256 KiB and not a byte more", "[event]")
{
    constexpr std::size_t around = std::string_view{R"({"a":""})"}.size();
    const one<std::string> largest{std::string(payload_max - around, 'x')};
    const one<std::string> too_large{std::string(payload_max - around + 1, 'x')};

    REQUIRE(encode(largest).size() == payload_max);
    REQUIRE(refusal_to_encode(too_large) == "/a: here the text grows past 262144 bytes: "
                                            "keep large data elsewhere and publish where it is");
    REQUIRE(check(encode(largest)) == "not refused");
    REQUIRE(check(encode(largest) + " ") == "/: the payload has 262145 bytes, more than 262144: "
                                            "keep large data elsewhere and publish where it is");
}

TEST_CASE("the field with which a payload grows too large is named", "[event]")
{
    one<std::vector<std::string>> list;
    list.a.assign(5, std::string(60'000, 'x'));

    REQUIRE(refusal_to_encode(list).starts_with("/a/4: here the text grows past 262144 bytes"));

    one<std::map<std::string, int>> map{{{std::string(payload_max, 'k'), 1}}};
    REQUIRE(refusal_to_encode(map).starts_with("/a: here the text grows past 262144 bytes"));
}

TEST_CASE("escapes count towards the size", "[event]")
{
    REQUIRE(refusal_to_encode(one<std::string>{std::string(50'000, '\x01')})
                .starts_with("/a: here the text grows past"));
}

TEST_CASE("what was written before does not count towards the size", "[event]")
{
    std::string text(payload_max, ' ');

    encode_into(text, one<int>{1});

    REQUIRE(text.size() == payload_max + 7);
}

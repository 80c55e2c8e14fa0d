#include "refusal.hpp"

#include <cuebox/pg/params.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <span>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

// A parameter as libpq would see it: its type, and "text …", "binary <hex>" or "null".
template <class T>
std::string seen(const T& value)
{
    const params values(std::in_place, value);
    const auto view = values.for_libpq();
    std::string text = std::to_string(view.types.at(0));
    if (!view.values[0])
        return text + " null";
    if (view.formats[0] == 0)
        return text + " text " + view.values[0];
    text += " binary ";
    for (int i = 0; i < view.lengths[0]; ++i)
        for (const int half : {view.values[0][i] >> 4 & 15, view.values[0][i] & 15})
            text += "0123456789abcdef"[half];
    return text;
}

}

TEST_CASE("numbers go by their own types, big-endian", "[pg]")
{
    CHECK(seen(true) == "16 binary 01");
    CHECK(seen(false) == "16 binary 00");
    CHECK(seen(std::int16_t{-2}) == "21 binary fffe");
    CHECK(seen(7) == "23 binary 00000007");
    CHECK(seen(std::numeric_limits<std::int32_t>::min()) == "23 binary 80000000");
    CHECK(seen(std::int64_t{1}) == "20 binary 0000000000000001");
    CHECK(seen(1LL) == "20 binary 0000000000000001");
    CHECK(seen(std::numeric_limits<std::uint32_t>::max()) == "20 binary 00000000ffffffff");
    CHECK(seen(1.0) == "701 binary 3ff0000000000000");
}

TEST_CASE("text goes untyped, so that the server takes it for what the place needs", "[pg]")
{
    CHECK(seen("tea") == "0 text tea");
    CHECK(seen("tea"s) == "0 text tea");
    CHECK(seen(std::string_view("teapot", 3)) == "0 text tea");
    CHECK(seen("") == "0 text ");
}

TEST_CASE("the other types have their binary forms", "[pg]")
{
    uuid id{};
    id.begin()[15] = 0xab;
    CHECK(seen(id) == "2950 binary 000000000000000000000000000000ab");
    CHECK(seen(json{"{}"}) == "3802 binary 017b7d");
    CHECK(seen(bytes{std::byte{0}, std::byte{255}}) == "17 binary 00ff");
    CHECK(seen(bytes{}) == "17 binary ");
    CHECK(seen(tid{.block = 1, .offset = 2}) == "27 binary 000000010002");
    CHECK(seen(1s) == "1186 binary 00000000000f42400000000000000000");
    CHECK(seen(1ms) == "1186 binary 00000000000003e80000000000000000");
    CHECK(seen(-1us) == "1186 binary ffffffffffffffff0000000000000000");
}

TEST_CASE("a timestamp counts from 2000, and its ends are the infinities", "[pg]")
{
    using std::chrono::sys_days;
    const timestamp epoch = sys_days{std::chrono::year{2000} / 1 / 1};

    CHECK(seen(epoch) == "1184 binary 0000000000000000");
    CHECK(seen(epoch + 1us) == "1184 binary 0000000000000001");
    CHECK(seen(epoch - 1us) == "1184 binary ffffffffffffffff");
    CHECK(seen(timestamp::max()) == "1184 binary 7fffffffffffffff");
    CHECK(seen(timestamp::min()) == "1184 binary 8000000000000000");
    // Too early to count: the server is to refuse it, not to take it for a late one.
    CHECK(seen(timestamp::min() + 1us) == "1184 binary 8000000000000001");
}

TEST_CASE("an empty optional is NULL of its type", "[pg]")
{
    CHECK(seen(std::optional<int>()) == "23 null");
    CHECK(seen(std::optional<int>(7)) == "23 binary 00000007");
    CHECK(seen(std::optional<std::string>()) == "0 null");
    CHECK(seen(std::optional<std::string>("x")) == "0 text x");
    CHECK(seen(std::optional<std::vector<int>>()) == "0 null");
    CHECK(seen(std::nullopt) == "0 null");
    CHECK(seen(nullptr) == "0 null");
}

TEST_CASE("a range is an array, its empty optionals NULLs in it", "[pg]")
{
    CHECK(seen(std::vector<int>{}) == "1007 binary 000000000000000100000017");
    CHECK(seen(std::vector<int>{7}) ==
          "1007 binary 000000010000000100000017000000010000000100000004"
          "00000007");
    CHECK(seen(std::vector<std::optional<std::string>>{"a", std::nullopt}) ==
          "1009 binary 000000010000000100000019000000020000000100000001"
          "61ffffffff");
    CHECK(seen(std::vector<bool>{true}) ==
          "1000 binary 000000010000000100000010000000010000000100000001"
          "01");
    CHECK(seen(std::array<std::int64_t, 0>{}) == "1016 binary 000000000000000100000014");
    const std::array<int, 2> numbers{1, 2};
    CHECK(seen(std::span<const int>(numbers)) ==
          "1007 binary 000000010000000100000017000000020000000100000004000000010000000400000002");
}

TEST_CASE("a NUL byte in a text is refused, naming the parameter, never the text", "[pg]")
{
    const std::string cut("s3cret\0x", 8);
    const auto refusals = {
        refusal_of([&cut] { params(std::in_place, 1, cut); }),
        refusal_of([&cut] { params(std::in_place, 1, std::optional(cut)); }),
        refusal_of([&cut] { params(std::in_place, 1, std::vector{cut}); }),
        refusal_of([&cut] { params(std::in_place, 1, std::vector{std::optional(cut)}); })};

    for (const auto& refused : refusals) {
        CHECK(refused.code == errc::usage);
        CHECK(refused.says("parameter $2: "));
        CHECK(refused.says("contains a NUL byte: Postgres cannot store it"));
        CHECK_FALSE(refused.says("s3cret"));
    }
}

TEST_CASE("a statement takes as many parameters as the protocol can count", "[pg]")
{
    params values;
    for (int i = 0; i < 65'535; ++i)
        values.add(i);

    const auto refused = refusal_of([&values] { values.add(1); });

    REQUIRE(refused.code == errc::usage);
    REQUIRE(refused.what == "parameter $65536: a statement takes 65535: pass the rest in an array");
    REQUIRE(values.size() == 65'535);
}

TEST_CASE("the view for libpq has each value at its place, whatever was added before", "[pg]")
{
    params values(std::in_place, "tea", 7, nullptr, "pot");

    const auto view = values.for_libpq();

    REQUIRE(view.types == std::vector<oid>{0, 23, 0, 0});
    REQUIRE(view.formats == std::vector{0, 1, 0, 0});
    REQUIRE(view.lengths == std::vector{3, 4, 0, 3});
    REQUIRE(view.values[0] == "tea"s);
    REQUIRE(view.values[2] == nullptr);
    REQUIRE(view.values[3] == "pot"s);
}

TEST_CASE("values are encoded at once, so nothing they view has to live on", "[pg]")
{
    params values;
    {
        const std::string gone(1'000, 'x');
        values.add(std::string_view(gone)).add(json{gone});
    }

    REQUIRE(values.for_libpq().values[0] == std::string(1'000, 'x'));
}

#include "fields.hpp"
#include "refusal.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;

TEST_CASE("integers read from every integer type that fits", "[pg]")
{
    CHECK(read<std::int16_t>(type::int2, "fffe") == -2);
    CHECK(read<std::int32_t>(type::int2, "fffe") == -2);
    CHECK(read<std::int64_t>(type::int4, "7fffffff") == 2147483647);
    CHECK(read<std::int16_t>(type::int8, "0000000000007fff") == 32767);
    CHECK(read<std::int64_t>(type::int8, "8000000000000000") ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(read<std::int64_t>(type::oid_number, "ffffffff") == 4294967295);
}

TEST_CASE("an integer that does not fit is refused, not cut", "[pg]")
{
    const auto refused = [](oid type, std::string_view hex) {
        return refusal_of([=] { read<std::int16_t>(type, hex); });
    };

    CHECK(refused(type::int4, "00008000").code == errc::shape);
    CHECK(refused(type::int8, "ffffffffffff7fff").what ==
          "get order: column \"total\" of type bigint does not read as a 16-bit integer: cast it "
          "in the statement");
    CHECK(refusal_of([] { read<std::int32_t>(type::oid_number, "ffffffff"); }).code == errc::shape);
}

TEST_CASE("a wrong type is refused by column, type and what was asked for", "[pg]")
{
    CHECK(refusal_of([] {
              read<bool>(type::int4, "00000001");
          }).says("column \"total\" of type integer does not read as a boolean"));
    CHECK(refusal_of([] { read<std::int64_t>(type::text, "31"); }).says("of type text"));
    CHECK(refusal_of([] {
              read<std::int32_t>(type::numeric, "00000000000000000000");
          }).says("of type numeric does not read as a 32-bit integer"));
    CHECK(refusal_of([] { read<double>(type::int4, "00000001"); }).says("a double"));
    CHECK(refusal_of([] { read<std::string>(type::int4, "00000001"); }).says("as text"));
    CHECK(refusal_of([] { read<uuid>(type::text, "00"); }).says("a uuid"));
    CHECK(refusal_of([] {
              read<timestamp>(type::timestamp, "0000000000000000");
          }).says("of type timestamp does not read as a timestamptz"));
    CHECK(refusal_of([] { read<bytes>(type::text, "00"); }).says("bytes"));
    CHECK(refusal_of([] { read<tid>(type::int8, "0000000000000000"); }).says("a tid"));
    CHECK(refusal_of([] {
              read<std::chrono::microseconds>(type::int8, "0000000000000000");
          }).says("a duration"));
    CHECK(refusal_of([] { read<bool>(4711, "01"); }).says("column \"total\" of type 4711 does"));
}

TEST_CASE("NULL is refused with the way out, unless it is read into an optional", "[pg]")
{
    CHECK(refusal_of([] { read_null<std::int32_t>(type::int4); }).what ==
          "get order: column \"total\" is NULL, not a 32-bit integer: read it into a "
          "std::optional");
    CHECK(refusal_of([] { read_null<std::string>(type::text); }).code == errc::shape);
    CHECK(refusal_of([] { read_null<std::string>(type::numeric); }).code == errc::shape);
    CHECK(refusal_of([] { read_null<double>(type::numeric); }).code == errc::shape);
    CHECK(refusal_of([] { read_null<bytes>(type::bytea); }).code == errc::shape);
    CHECK(refusal_of([] { read_null<std::vector<int>>(1007); }).says("is NULL, not an array"));
    CHECK(read_null<std::optional<std::int32_t>>(type::int4) == std::nullopt);
    CHECK(read<std::optional<std::int32_t>>(type::int4, "00000007") == 7);
}

TEST_CASE("a field shorter or longer than its type is refused, not read past its end", "[pg]")
{
    CHECK(refusal_of([] { read<std::int32_t>(type::int4, "0000"); }).code == errc::shape);
    CHECK(refusal_of([] { read<bool>(type::boolean, ""); }).code == errc::shape);
    CHECK(refusal_of([] { read<double>(type::float8, "00000000"); }).code == errc::shape);
    CHECK(refusal_of([] { read<uuid>(type::uuid, "00"); }).code == errc::shape);
    CHECK(refusal_of([] { read<timestamp>(type::timestamptz, "00"); }).code == errc::shape);
    CHECK(refusal_of([] { read<tid>(type::tid, "00"); }).code == errc::shape);
    CHECK(refusal_of([] { read<std::chrono::microseconds>(type::interval, "00"); }).code ==
          errc::shape);
}

TEST_CASE("doubles read from both float types, infinity and NaN included", "[pg]")
{
    CHECK(read<double>(type::float8, "3ff0000000000000") == 1.0);
    CHECK(read<double>(type::float4, "3f800000") == 1.0);
    CHECK(read<double>(type::float8, "fff0000000000000") ==
          -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(read<double>(type::float8, "7ff8000000000000")));
}

TEST_CASE("text and its relatives read as strings; jsonb without its version", "[pg]")
{
    for (const oid each : {type::text, type::varchar, type::bpchar, type::name, type::json,
                           type::unknown, type::first_of_users})
        CHECK(read<std::string>(each, "746561") == "tea");
    CHECK(read<std::string>(type::jsonb, "017b7d") == "{}");
    CHECK(read<std::string>(type::text, "") == "");
    CHECK(refusal_of([] { read<std::string>(type::jsonb, ""); }).code == errc::shape);
}

TEST_CASE("timestamps read to the microsecond, and their ends are the infinities", "[pg]")
{
    const timestamp epoch = std::chrono::sys_days{std::chrono::year{2000} / 1 / 1};

    CHECK(read<timestamp>(type::timestamptz, "0000000000000001") == epoch + 1us);
    CHECK(read<timestamp>(type::timestamptz, "ffffffffffffffff") == epoch - 1us);
    CHECK(read<timestamp>(type::timestamptz, "7fffffffffffffff") == timestamp::max());
    CHECK(read<timestamp>(type::timestamptz, "8000000000000000") == timestamp::min());
    CHECK(refusal_of([] {
              read<timestamp>(type::timestamptz, "7ffffffffffffffe");
          }).says("a timestamptz before the year 294247"));
}

TEST_CASE("an interval reads as a duration unless it has months", "[pg]")
{
    using std::chrono::microseconds;

    CHECK(read<microseconds>(type::interval, "00000000000f42400000000000000000") == 1s);
    CHECK(read<microseconds>(type::interval, "ffffffffffffffff0000000100000000") == 24h - 1us);
    CHECK(refusal_of([] {
              read<microseconds>(type::interval, "00000000000000000000000000000001");
          }).says("a duration without months"));
    CHECK(refusal_of([] {
              read<microseconds>(type::interval, "00000000000000007fffffff00000000");
          }).says("a duration of less than 292,000 years"));
}

TEST_CASE("bytes, uuid and tid read as they are", "[pg]")
{
    CHECK(read<bytes>(type::bytea, "00ff") == bytes{std::byte{0}, std::byte{255}});
    CHECK(read<bytes>(type::bytea, "").empty());
    CHECK(read<uuid>(type::uuid, "000000000000000000000000000000ab").begin()[15] == 0xab);
    CHECK(read<tid>(type::tid, "000000010002") == tid{.block = 1, .offset = 2});
}

TEST_CASE("arrays read into vectors, NULLs into optionals", "[pg]")
{
    const auto* two = "00000001000000010000001700000002000000010000000400000007ffffffff";

    CHECK(read<std::vector<std::optional<int>>>(1007, two) ==
          std::vector<std::optional<int>>{7, std::nullopt});
    CHECK(read<std::vector<int>>(1007, "000000000000000000000017").empty());
    CHECK(refusal_of([two] { read<std::vector<int>>(1007, two); }).says("is NULL"));
    CHECK(refusal_of([two] {
              read<std::vector<std::string>>(1007, two);
          }).says("of type integer does not read as text"));
}

TEST_CASE("what is no array of one dimension is refused", "[pg]")
{
    const auto refused = [](oid type, std::string_view hex) {
        return refusal_of([=] { read<std::vector<int>>(type, hex); });
    };

    CHECK(refused(type::int4, "00000001").says("does not read as an array"));
    CHECK(refused(1007, "000000020000000000000017").says("an array of one dimension"));
    CHECK(refused(1007, "0000000100000000000000170000000100000001").code == errc::shape);
    CHECK(refused(1007, "000000010000000000000017000000010000000100000005").code == errc::shape);
    CHECK(refused(1007, "").code == errc::shape);
}

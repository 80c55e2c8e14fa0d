#include "fields.hpp"
#include "refusal.hpp"

#include <cuebox/pg/numeric.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

TEST_CASE("a numeric reads as the digits Postgres prints", "[pg]")
{
    struct row
    {
        const char* hex; // Digits, weight, sign, scale, then the digits in groups of four.
        const char* text;
    };
    for (const auto& [hex, text] : {
             row{"0000000000000000", "0"},
             row{"0000000000000002", "0.00"},
             row{"00010000000000000001", "1"},
             row{"00010000400000000001", "-1"},
             row{"000200000000000200011388", "1.50"},
             row{"0002000040000002000c1388", "-12.50"},
             row{"0001ffff000000040001", "0.0001"},
             row{"0001fffe000000080001", "0.00000001"},
             row{"00010001000000000001", "10000"},
             row{"0002000100000000000104d2", "11234"},
             row{"00010000c00000000000", "NaN"},
             row{"00000000d0000000", "Infinity"},
             row{"00000000f0000000", "-Infinity"},
         })
        CHECK(cuebox::pg::detail::numeric_text(from_hex(hex)) == text);
}

TEST_CASE("a numeric reads into a double, unless it is beyond it", "[pg]")
{
    CHECK(read<double>(type::numeric, "000200000000000200011388") == 1.5);
    CHECK(read<double>(type::numeric, "00000000d0000000") ==
          std::numeric_limits<double>::infinity());
    CHECK(read<double>(type::numeric, "00000000f0000000") ==
          -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(read<double>(type::numeric, "00000000c0000000")));
    // One and four hundred zeroes.
    CHECK(refusal_of([] {
              read<double>(type::numeric, "00010064000000000001");
          }).says("of type numeric does not read as a double"));
}

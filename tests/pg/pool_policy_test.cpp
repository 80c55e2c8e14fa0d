#include <cuebox/pg/pool_policy.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::detail;
using namespace std::chrono_literals;

namespace {

constexpr pool_rules rules{.size = 2, .check_after = 10s, .lifetime = 30min};

}

TEST_CASE("a connection that comes back is kept unless it is spoilt or old", "[pg]")
{
    struct row
    {
        connection_facts facts;
        verdict expected;
    };
    for (const auto& [facts, expected] : {
             row{{}, verdict::use},
             row{{.age = 30min}, verdict::use},
             row{{.age = 30min + 1ns}, verdict::discard},
             row{{.broken = true}, verdict::discard},
             row{{.in_transaction = true}, verdict::discard},
             row{{.listening = true}, verdict::discard},
             row{{.cancelling = true}, verdict::discard},
             row{{.broken = true, .in_transaction = true, .age = 1h}, verdict::discard},
         })
        CHECK(when_returned(facts, rules) == expected);
}

TEST_CASE("a connection is lent as it is, asked first, or replaced", "[pg]")
{
    struct row
    {
        connection_facts facts;
        verdict expected;
    };
    for (const auto& [facts, expected] : {
             row{{}, verdict::use},
             row{{.idle = 10s}, verdict::use},
             row{{.idle = 10s + 1ns}, verdict::check},
             row{{.age = 30min, .idle = 1min}, verdict::check},
             row{{.age = 31min, .idle = 0s}, verdict::discard},
             row{{.age = 31min, .idle = 1min}, verdict::discard},
             row{{.broken = true, .idle = 1min}, verdict::discard},
             row{{.in_transaction = true}, verdict::discard},
         })
        CHECK(when_lent(facts, rules) == expected);
}

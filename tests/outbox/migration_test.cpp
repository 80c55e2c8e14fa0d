#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/migration.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cuebox::outbox;

namespace {

constexpr migration files[] = {
    {.version = "20260101000000", .name = "core_outbox", .checksum = "aa", .sql = ""},
    {.version = "20260102000000", .name = "core_roles", .checksum = "bb", .sql = ""},
    {.version = "20260103000000", .name = "core_more", .checksum = "cc", .sql = ""},
};

applied_migration row_of(const char* version, const char* checksum)
{
    return {.version = version, .name = "x", .checksum = checksum};
}

std::vector<migration_status> statuses(const std::vector<applied_migration>& rows,
                                       bool without_roles = false)
{
    std::vector<migration_status> all;
    for (const auto& each : compare_migrations(files, rows, without_roles))
        all.push_back(each.status);
    return all;
}

}

TEST_CASE("what the database lacks is pending, in order", "[outbox]")
{
    using enum migration_status;
    CHECK(statuses({}) == std::vector{pending, pending, pending});
    CHECK(statuses({row_of("20260101000000", "aa")}) ==
          std::vector{migration_status::applied, pending, pending});
}

TEST_CASE("roles are skipped when they are not wanted, and pending when they are again", "[outbox]")
{
    using enum migration_status;
    const std::vector rows{row_of("20260101000000", "aa"), row_of("20260103000000", "cc")};
    CHECK(statuses(rows, true) ==
          std::vector{migration_status::applied, skipped, migration_status::applied});
    CHECK(statuses(rows, false) ==
          std::vector{migration_status::applied, pending, migration_status::applied});
}

TEST_CASE("a migration that was edited after it was applied is refused by name", "[outbox]")
{
    const std::vector rows{row_of("20260101000000", "other")};
    const auto states = compare_migrations(files, rows, false);

    CHECK(states[0].status == migration_status::edited);
    try {
        refuse_edited(states);
        FAIL("not refused");
    }
    catch (const migration_error& refused) {
        CHECK(std::string(refused.what())
                  .starts_with(
                      "migration 20260101000000_core_outbox was edited after it was applied"));
    }
}

TEST_CASE("a migration of a newer Cuebox is shown, not refused", "[outbox]")
{
    const std::vector rows{row_of("20270101000000", "zz")};
    const auto states = compare_migrations(files, rows, false);

    REQUIRE(states.size() == 4);
    CHECK(states[3].status == migration_status::unknown);
    CHECK_NOTHROW(refuse_edited(states));
}

TEST_CASE("the embedded migrations ascend, have checksums, and end in SQL", "[outbox]")
{
    const auto all = migrations();

    REQUIRE(all.size() >= 10);
    CHECK(std::ranges::is_sorted(all, {}, &migration::version));
    for (const migration& each : all) {
        CHECK(each.version.size() == 14);
        CHECK(each.checksum.size() == 64);
        const bool ours =
            each.sql.find("core.") != each.sql.npos || each.sql.find("platform.") != each.sql.npos;
        CHECK(ours);
    }
}

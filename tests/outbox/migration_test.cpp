#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/migration.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cuebox::outbox;

namespace {

constexpr migration files[] = {
    {.version = "20260101000000", .name = "core_outbox", .checksum = "aa", .sql = ""},
    {.version = "20260102000000", .name = "core_roles", .checksum = "bb", .sql = ""},
    {.version = "20260103000000",
     .name = "core_more",
     .checksum = "cc",
     .sql = "",
     .replaces = "c0"},
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

TEST_CASE("what was made by the text that a file replaces is not made again", "[outbox]")
{
    using enum migration_status;
    CHECK(statuses({row_of("20260103000000", "c0")}) ==
          std::vector{pending, pending, migration_status::applied});
    // Most files replace none, which is no checksum.
    CHECK(statuses({row_of("20260101000000", "")}) == std::vector{edited, pending, pending});

    const auto& outbox = migrations().front();
    CHECK(outbox.replaces.size() == 64);
    CHECK(outbox.replaces != outbox.checksum);
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

namespace {

// The names of what is applied together.
std::string grouped(std::span<const migration> all, const std::vector<applied_migration>& rows,
                    bool without_roles = false)
{
    std::string text;
    for (const auto& group : group_pending(compare_migrations(all, rows, without_roles))) {
        text += text.empty() ? "" : " | ";
        for (const auto& each : group)
            text += (text.ends_with(' ') || text.empty() ? "" : "+") + each.name;
    }
    return text;
}

constexpr migration upgrade[] = {
    {.version = "1", .name = "a", .checksum = "", .sql = ""},
    {.version = "2", .name = "b", .checksum = "", .sql = ""},
    {.version = "3", .name = "b_roles", .checksum = "", .sql = ""},
    {.version = "4", .name = "c", .checksum = "", .sql = ""},
    {.version = "5", .name = "d", .checksum = "", .sql = ""},
    {.version = "6", .name = "cd_roles", .checksum = "", .sql = ""},
    {.version = "7", .name = "e", .checksum = "", .sql = ""},
    {.version = "8", .name = "f", .checksum = "", .sql = ""},
};

}

TEST_CASE("roles are applied with the file before them, in an empty database", "[outbox]")
{
    CHECK(grouped(upgrade, {}) == "a | b+b_roles | c | d+cd_roles | e | f");
    CHECK(grouped(upgrade, {}, true) == "a | b | c | d | e | f");
}

TEST_CASE("where the schema is in use, all up to the next roles is applied at once", "[outbox]")
{
    const std::vector rows{row_of("1", ""), row_of("2", ""), row_of("3", "")};
    CHECK(grouped(upgrade, rows) == "c+d+cd_roles | e | f");
    // Roles that were left out so far are one step: each names what another has replaced.
    const std::vector without{row_of("1", ""), row_of("2", ""), row_of("4", ""),
                              row_of("5", ""), row_of("7", ""), row_of("8", "")};
    CHECK(grouped(upgrade, without) == "b_roles+cd_roles");
}

TEST_CASE("roles are not left out where they are in use", "[outbox]")
{
    const std::vector none{row_of("20260101000000", "aa")};
    CHECK_NOTHROW(refuse_without_roles(compare_migrations(files, none, true)));

    const std::vector some{row_of("20260101000000", "aa"), row_of("20260102000000", "bb")};
    CHECK_THROWS_AS(refuse_without_roles(compare_migrations(files, some, true)), migration_error);
}

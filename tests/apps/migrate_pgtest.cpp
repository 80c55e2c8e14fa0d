#include "support/migrated.hpp"
#include "support/process.hpp"

#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/migration.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <list>

using namespace cuebox;
using namespace cuebox::outbox;
using namespace cuebox::outbox::test;

namespace {

cuebox::test::outcome cuebox_migrate(const cuebox::test::database& in,
                                     std::vector<std::string> arguments = {})
{
    arguments.insert(arguments.begin(), {"migrate", "--database", in.conninfo()});
    return cuebox::test::run(CUEBOX, arguments);
}

}

TEST_CASE("ten processes migrate an empty database at once: all succeed, one applies", "[cuebox]")
{
    const cuebox::test::database database;
    std::list<cuebox::test::process> processes;

    for (int i = 0; i < 10; ++i)
        processes.emplace_back(
            CUEBOX, std::vector<std::string>{"migrate", "--database", database.conninfo()});
    int applied = 0;
    for (auto& each : processes) {
        const auto ended = each.wait();
        INFO(ended.err);
        CHECK(ended.exit == 0);
        applied += ended.out.starts_with("applied ") ? 1 : 0;
    }

    CHECK(applied == 1);
    CHECK(database.query("select count(*) from core.schema_migrations") ==
          std::to_string(migrations().size()));
}

TEST_CASE("a second migrate finds nothing to do", "[cuebox]")
{
    const migrated database;

    const auto ended = cuebox_migrate(database);

    CHECK(ended.exit == 0);
    CHECK(ended.out == "the schema is up to date\n");
}

TEST_CASE("status and dry run tell, and change nothing", "[cuebox]")
{
    const cuebox::test::database database;

    const auto status = cuebox_migrate(database, {"--status"});
    const auto dry_run = cuebox_migrate(database, {"--dry-run", "--json"});

    CHECK(status.exit == 0);
    CHECK(status.out.starts_with("pending  20261116000100_core_outbox\n"));
    CHECK(dry_run.exit == 0);
    CHECK(dry_run.out.starts_with(
        R"({"migrations":[{"version":"20261116000100","name":"core_outbox",)"
        R"("status":"would apply"})"));
    CHECK(database.query("select count(*) from pg_namespace where nspname = 'core'") == "0");
}

TEST_CASE("a migration whose file was edited since is refused", "[cuebox]")
{
    const migrated database;
    database.query(
        "update core.schema_migrations set checksum = 'other' where name = 'core_outbox'");

    const auto ended = cuebox_migrate(database);

    CHECK(ended.exit == 1);
    CHECK(ended.err.find("core_outbox was edited after it was applied: restore the file") !=
          std::string::npos);
    CHECK(cuebox_migrate(database, {"--status"}).out.starts_with("edited "));
}

TEST_CASE("a migration that fails leaves nothing of itself, and can be tried again", "[cuebox]")
{
    const cuebox::test::database database;
    // In the way of one of the later migrations.
    database.query("create schema core; create table core.event_handled (x int)");

    const auto failed = cuebox_migrate(database);
    const std::string after = database.query("select name from core.schema_migrations");
    database.query("drop table core.event_handled");
    const auto again = cuebox_migrate(database);

    CHECK(failed.exit == 1);
    CHECK(failed.err.find("core_event_handled: relation \"event_handled\" already exists") !=
          std::string::npos);
    CHECK(after == "core_outbox");
    CHECK(again.exit == 0);
}

TEST_CASE("without roles the schema is the migrating user's own, and roles can follow", "[cuebox]")
{
    const cuebox::test::database database;

    const auto without = cuebox_migrate(database, {"--without-roles"});
    const std::string owner =
        database.query("select tableowner = current_user from pg_tables where "
                       "schemaname = 'core' and tablename = 'outbox'");
    const auto with = cuebox_migrate(database);

    CHECK(without.exit == 0);
    CHECK(without.err.find("without roles") != std::string::npos);
    CHECK(owner == "t");
    CHECK(with.out == "applied " +
                          std::to_string(std::ranges::count_if(migrations(), &migration::roles)) +
                          " migrations\n");
    CHECK(database.query("select tableowner from pg_tables where schemaname = 'core' and "
                         "tablename = 'outbox'") == "cuebox_owner");
}

TEST_CASE("a database that cannot be reached is named, without its password", "[cuebox]")
{
    const auto ended = cuebox::test::run(
        CUEBOX, {"migrate", "--database", "postgresql://app:hunter2@127.0.0.1:1/shop"});

    CHECK(ended.exit == 1);
    CHECK(ended.err.find("127.0.0.1:1: Connection refused") != std::string::npos);
    CHECK(ended.err.find("hunter2") == std::string::npos);
}

TEST_CASE("where roles are in use, --without-roles is refused in so many words", "[cuebox]")
{
    const migrated database;

    const auto refused = cuebox_migrate(database, {"--without-roles"});
    const auto tried = cuebox_migrate(database, {"--without-roles", "--dry-run"});

    CHECK(refused.exit == 1);
    CHECK(refused.err.find("this database has Cuebox's roles") != std::string::npos);
    CHECK(refused.err.find("migrate without --without-roles") != std::string::npos);
    CHECK(tried.exit == 1);
}

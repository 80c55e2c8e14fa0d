#include "support/eventually.hpp"
#include "support/migrated.hpp"
#include "support/session.hpp"

#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/migrate.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::outbox;
using namespace cuebox::outbox::test;

TEST_CASE("who migrates keeps the lock where idle transactions are ended", "[outbox]")
{
    const cuebox::test::database database;
    database.query("alter database " + database.name() +
                   " set idle_in_transaction_session_timeout = '1 s'");
    bool held = true;
    migrate_options options;
    // Whoever holds the lock does nothing meanwhile, for longer than that.
    options.progress = [&, first = true](const migration_state&) mutable {
        held = held &&
               (!std::exchange(first, false) ||
                cuebox::test::eventually(
                    [&] {
                        return database.query(
                                   "select count(*) from pg_locks l join pg_stat_activity a "
                                   "using (pid) where l.locktype = 'advisory' and a.datname = "
                                   "current_database() and a.state = 'idle in transaction' and "
                                   "a.state_change < now() - interval '1500 ms'") == "1";
                    },
                    std::chrono::seconds(10)));
    };

    const auto applied = run(migrate({.conninfo = database.conninfo()}, options));

    CHECK(held);
    CHECK(applied.size() == migrations().size());
}

namespace {

// A database as the first version left it.
class first_version : public cuebox::test::database
{
public:
    first_version()
    {
        query("create schema core; create table core.schema_migrations (version text primary key, "
              "name text not null, checksum text not null, "
              "applied_at timestamptz not null default now())");
        for (const migration& each : migrations())
            if (each.version < "20261117") {
                query(each.sql);
                query("insert into core.schema_migrations values ('" + std::string(each.version) +
                      "', '" + std::string(each.name) + "', '" + std::string(each.checksum) + "')");
            }
    }
};

std::string refusal(const cuebox::test::database& database, const migrate_options& options)
{
    try {
        run(migrate({.conninfo = database.conninfo()}, options));
    }
    catch (const migration_error& refused) {
        return refused.what();
    }
    return "not refused";
}

migrate_options impatient()
{
    using namespace std::chrono_literals;
    return {.lock_wait = 50ms, .lock_pause = 1ms, .lock_attempts = 3};
}

}

TEST_CASE("a database with roles is not migrated without them", "[outbox]")
{
    const first_version database;

    CHECK(refusal(database, {.without_roles = true}).find("this database has Cuebox's roles") == 0);
    CHECK(database.query(
              "select count(*) from core.schema_migrations where version > '20261117'") == "0");
}

TEST_CASE("who works meanwhile sees an upgrade with its roles, or nothing of it", "[outbox]")
{
    const first_version database;
    database.query(
        "create function core.stop() returns trigger language plpgsql as $$ begin raise "
        "exception 'stopped'; end $$; create trigger stop before insert on core.schema_migrations "
        "for each row when (new.name = 'core_dead_letters_roles') execute function core.stop()");

    CHECK_THROWS(run(migrate({.conninfo = database.conninfo()})));
    const std::string half = database.query("select to_regclass('core.operator_actions') is null");
    // What the first version's worker does to settle.
    database.query("set role cuebox_worker; select core.outbox_settle('{}', '{}', '{}')");
    database.query("drop function core.stop() cascade");
    run(migrate({.conninfo = database.conninfo()}));

    CHECK(half == "t");
    database.query("set role cuebox_worker; select core.outbox_settle('{}', '{}', '{}')");
    CHECK(database.query("select count(*) from core.schema_migrations") ==
          std::to_string(migrations().size()));
}

TEST_CASE("an upgrade does not queue everybody up behind an open transaction", "[outbox]")
{
    const first_version database;
    cuebox::test::session publisher{database.conninfo()};
    publisher.ask("begin; select core.outbox_publish('order.placed', 'shop', 1)");
    int waited = 0;
    migrate_options options = impatient();
    options.waiting = [&](const migration_state& each, int times) {
        waited = times;
        CHECK(each.name == "core_dead_letters");
        // Between two attempts others publish.
        database.query("select core.outbox_publish('order.placed', 'shop', 1)");
    };

    const std::string gave_up = refusal(database, options);
    options.waiting = [&](const migration_state&, int) { publisher.ask("commit"); };
    run(migrate({.conninfo = database.conninfo()}, options));

    CHECK(gave_up.find("core_dead_letters did not get at its tables, 3 times for 50 ms each") !=
          std::string::npos);
    CHECK(gave_up.find("end it, and migrate again") != std::string::npos);
    CHECK(waited == 2);
    CHECK(database.query("select count(*) from core.outbox") == "3");
}

#include "support/eventually.hpp"
#include "support/migrated.hpp"

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

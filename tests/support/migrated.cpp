#include "support/migrated.hpp"

#include "support/cluster.hpp"
#include "support/psql.hpp"
#include "support/session.hpp"

#include <cuebox/outbox/migrate.hpp>

namespace cuebox::outbox::test {

namespace {

const std::string original = "cuebox_migrated";

// Tests run in processes of their own: whoever holds the lock makes it, the others wait. What a
// killed test left half made still allows connections, and is made again.
void migrate_original()
{
    const auto& cluster = cuebox::test::the_cluster();
    cuebox::test::session maker{cluster.conninfo()};
    maker.ask("select pg_advisory_lock(1)");
    const auto ready =
        "select count(*) from pg_database where not datallowconn and datname = '" + original + "'";
    if (maker.ask(ready) == "1")
        return;
    maker.ask("drop database if exists " + original + " with (force)");
    maker.ask("create database " + original + " template template0");
    run(migrate({.conninfo = cluster.conninfo(original)}));
    maker.ask("alter database " + original + " allow_connections false");
}

const std::string& migrated_original()
{
    static const bool made = (migrate_original(), true);
    static_cast<void>(made);
    return original;
}

}

migrated::migrated(bool without_roles) : database{without_roles ? "template0" : migrated_original()}
{
    if (without_roles)
        run(migrate(options(), {.without_roles = true}));
}

}

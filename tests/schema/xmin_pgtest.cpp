#include "outbox.hpp"
#include "support/psql.hpp"

#include <cuebox/embedded/server.hpp>
#include <cuebox/outbox/migrate.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using cuebox::test::session;

namespace {

// A server of its own: snapshots are the whole cluster's, and two of those who hold them need
// settings that the cluster of the run does not have.
class alone
{
public:
    alone() { outbox::test::run(outbox::migrate({.conninfo = server_.conninfo()})); }

    std::string conninfo(std::string_view database = "postgres") const
    {
        return server_.conninfo(database);
    }
    std::string ask(std::string_view sql) { return link_.ask(sql); }
    // Each one gives everybody's snapshot another transaction of age.
    void pass_transactions(int count)
    {
        for (int i = 0; i < count; ++i)
            ask("select pg_current_xact_id()");
    }

private:
    embedded::server server_{{.settings = {{"fsync", "off"},
                                           {"autovacuum", "off"},
                                           {"wal_level", "logical"},
                                           {"max_prepared_transactions", "2"}}}};
    session link_{server_.conninfo()};
};

constexpr std::string_view oldest = "select kind, identity, application, role, state, "
                                    "xmin_age >= 5, seconds >= 0 from core.xmin_holders() limit 1";

}

TEST_CASE("whoever holds the oldest snapshot is named, whatever it is", "[schema]")
{
    alone cluster;
    CHECK(cluster.ask(oldest).empty());

    {
        session holder{cluster.conninfo()};
        holder.ask("set application_name = 'report'");
        holder.ask("begin isolation level repeatable read; select 1");
        cluster.pass_transactions(5);
        CHECK(cluster.ask(oldest) ==
              "backend|" + holder.backend() + "|report|postgres|idle in transaction|t|t");
        // One that came later has looked at the same world, and is not the cause.
        session later{cluster.conninfo()};
        later.ask("begin isolation level repeatable read; select 1");
        CHECK(cluster.ask(oldest).starts_with("backend|" + holder.backend()));
        holder.ask("commit");
        later.ask("commit");
    }
    CHECK(cluster.ask(oldest).empty());

    cluster.ask("begin; select pg_current_xact_id(); prepare transaction 'forgotten'");
    cluster.pass_transactions(5);
    CHECK(cluster.ask(oldest) == "prepared transaction|forgotten||postgres||t|t");
    cluster.ask("rollback prepared 'forgotten'");

    cluster.ask("select pg_create_logical_replication_slot('left_behind', 'test_decoding')");
    cluster.pass_transactions(5);
    CHECK(cluster.ask(oldest) == "replication slot|left_behind|test_decoding||inactive|t|");
    cluster.ask("select pg_drop_replication_slot('left_behind')");
    CHECK(cluster.ask(oldest).empty());
}

TEST_CASE("for how long others' transactions are open takes the right to know", "[schema]")
{
    alone cluster;
    CHECK(cluster.ask("select core.xmin_durations_visible()") == "t");
    cluster.ask("revoke pg_read_all_stats from cuebox_owner");
    session holder{cluster.conninfo()};
    holder.ask("begin; select pg_current_xact_id()");
    cluster.pass_transactions(5);

    CHECK(cluster.ask("select core.xmin_durations_visible()") == "f");
    CHECK(cluster.ask(oldest) == "backend|" + holder.backend() + "|psql|postgres||t|");

    holder.ask("rollback");
    CHECK(cluster.ask(oldest).empty());
}

#include "support/cluster.hpp"
#include "support/eventually.hpp"
#include "support/migrated.hpp"
#include "support/process.hpp"
#include "support/psql.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <csignal>
#include <sstream>

using namespace cuebox;
using namespace cuebox::outbox::test;

namespace {

std::vector<std::string> with(const cuebox::test::database& in, std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), {"status", "--database", in.conninfo()});
    return arguments;
}

cuebox::test::outcome status(const cuebox::test::database& in,
                             std::vector<std::string> arguments = {})
{
    return cuebox::test::run(CUEBOX, with(in, std::move(arguments)));
}

bool says(const std::string& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

}

TEST_CASE("cuebox status tells how the outbox is, in 80 columns", "[cuebox]")
{
    const migrated database;
    database.query("select core.allocate_generation(repeat('label', 40))");
    database.query("select core.outbox_publish(repeat('type', 40), 'shop', 1, p_class => "
                   "'a_class_of_thirty_two_letters___') from generate_series(1, 1200)");
    database.query(
        "select core.worker_register(repeat('worker', 20), 'billing', 1, 'h', 1, false)");

    const auto ended = status(database);

    INFO(ended.out << ended.err);
    CHECK(ended.exit == 0);
    CHECK(says(ended.out, "1,200 pending, 0 in flight"));
    CHECK(says(ended.out, "  ! 1200 events of type\n    typetype"));
    CHECK(says(ended.out, "counted now"));
    std::istringstream lines{ended.out};
    const auto begins_letter = [](char byte) { return (byte & '\xC0') != '\x80'; };
    for (std::string line; std::getline(lines, line);)
        CHECK(std::ranges::count_if(line, begins_letter) <= 80);
    CHECK(ended.err.empty());
}

TEST_CASE("cuebox status --check fails when something wants a hand", "[cuebox]")
{
    const migrated database;

    const auto well = status(database, {"--check"});
    database.query("select core.outbox_publish('unheard', 'shop', 1)");
    const auto unwell = status(database, {"--check", "--exact", "--json"});

    CHECK(well.exit == 0);
    CHECK(unwell.exit == 1);
    CHECK(says(unwell.out, R"({"code":"unrouted",)"));
    CHECK(says(unwell.out, R"("totals":{"pending":1,)"));
    CHECK(status(database).exit == 0);
}

TEST_CASE("cuebox status --watch --json is an object a line, until it is told to stop", "[cuebox]")
{
    const migrated database;
    cuebox::test::process watch{CUEBOX, with(database, {"--watch", "0.1", "--json", "--exact"})};

    CHECK(says(watch.read_line(), R"("pending":0)"));
    database.query("select core.outbox_publish('order.placed', 'shop', 1)");
    while (!says(watch.read_line(), R"("pending":1)"))
        continue;
    watch.signal(SIGINT);
    const auto ended = watch.wait();

    CHECK(ended.exit == 0);
    CHECK(ended.err.empty());
}

TEST_CASE("cuebox status --watch outlives a connection that is cut", "[cuebox]")
{
    const migrated database;
    cuebox::test::process watch{CUEBOX, with(database, {"--watch=0.1"})};
    CHECK(says(watch.read_line(), "cuebox status"));

    CHECK(cuebox::test::psql(cuebox::test::the_cluster().conninfo(),
                             "select count(pg_terminate_backend(pid)) from pg_stat_activity "
                             "where datname = '" +
                                 database.name() + "'") == "1");
    database.query("select core.allocate_generation('after the cut')");
    while (!says(watch.read_line(), "after the cut"))
        continue;
    watch.signal(SIGTERM);
    const auto ended = watch.wait();

    CHECK(ended.exit == 0);
    CHECK(says(ended.err, "the connection is lost, trying again: "));
}

TEST_CASE("cuebox status names what it cannot do", "[cuebox]")
{
    const cuebox::test::database empty;
    const migrated database;

    const auto no_schema = status(empty, {"--watch"});
    CHECK(no_schema.exit == 1);
    CHECK(says(no_schema.err, "run `cuebox migrate`"));
    for (const std::string interval : {"0", "-1", "soon", "1e9", "nan"}) {
        const auto refused = status(database, {"--watch=" + interval});
        CHECK(refused.exit == 2);
        CHECK(says(refused.err, "--watch takes seconds"));
    }
    CHECK(status(database, {"--watch", "--check"}).exit == 2);
}

TEST_CASE("cuebox status --exact that could not count says so, and fails", "[cuebox]")
{
    const migrated database;
    REQUIRE(status(database, {"--exact"}).exit == 0);
    database.query("select core.outbox_publish('order.placed', 'shop', 1)");
    database.query("alter database " + database.name() + " set default_transaction_read_only = on");

    const auto ended = status(database, {"--exact"});

    CHECK(ended.exit == 1);
    CHECK(says(ended.out, "0 pending"));
    CHECK(says(ended.err, "the backlog was not counted"));
    CHECK(status(database).exit == 0);
}

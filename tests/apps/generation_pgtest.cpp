#include "support/migrated.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::outbox::test;

namespace {

cuebox::test::outcome cuebox_run(const migrated& at, std::vector<std::string> arguments)
{
    arguments.insert(arguments.end(), {"--database", at.conninfo()});
    return cuebox::test::run(CUEBOX, arguments);
}

bool says(const std::string& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

}

TEST_CASE("cuebox generation and drain take a deployment from its start to its end", "[cuebox]")
{
    const migrated database;

    CHECK(says(cuebox_run(database, {"generation", "list"}).out, "no generations: allocate one"));
    CHECK(cuebox_run(database, {"generation", "allocate", "v1"}).out == "allocated generation 1\n");
    CHECK(cuebox_run(database, {"generation", "allocate", "--label", "v2", "--json"}).out ==
          "{\"generation\":2,\"label\":\"v2\"}\n");
    database.query("select core.outbox_publish('t', 's', 1) from generate_series(1, 3)");

    CHECK(cuebox_run(database, {"generation", "retire", "1"}).out ==
          "generation 1 is draining: 3 pending, 0 in flight, 0 workers registered; retire it again "
          "when they are done\n");
    CHECK(cuebox_run(database, {"drain", "--from", "1", "--to", "2", "--by", "ada"}).out ==
          "moved 3 events from generation 1 to 2\n");
    CHECK(cuebox_run(database, {"generation", "retire", "1"}).out == "generation 1 is retired\n");
    const auto list = cuebox_run(database, {"generation", "list"}).out;
    CHECK(says(list, "1           retired"));
    CHECK(says(list, "2           active"));
    CHECK(says(cuebox_run(database, {"generation", "list", "--json"}).out,
               R"({"generations":[{"generation":1,"label":"v1","status":"retired",)"));
    CHECK(database.query("select drained_by, rows_moved from core.drains") == "ada|3");
}

TEST_CASE("cuebox generation and drain say what is wrong", "[cuebox]")
{
    const migrated database;

    const auto unknown = cuebox_run(database, {"generation", "retire", "9"});
    const auto stranded = cuebox_run(database, {"drain", "--from", "1", "--to", "9"});

    CHECK(unknown.exit == 1);
    CHECK(unknown.err == "cuebox: no generation 9; List them with: cuebox generation list\n");
    CHECK(stranded.exit == 1);
    CHECK(says(stranded.err, "generation 9 was never allocated and nobody listens at it"));
    CHECK(cuebox_run(database, {"drain", "--from", "1"}).exit == 2);
    CHECK(cuebox_run(database, {"generation", "allocate"}).exit == 2);
}

TEST_CASE("cuebox sweep tells what it did, and refuses what would let a replay run twice",
          "[cuebox]")
{
    const migrated database;
    database.query("select core.outbox_publish('t', 's', 1); update core.outbox set "
                   "status = 'delivered', delivered_at = now() - interval '46 days', "
                   "created_at = now() - interval '50 days', "
                   "available_at = now() - interval '50 days'");

    const auto refused = cuebox_run(database, {"sweep", "--outbox-active", "59d"});
    const auto early = cuebox_run(database, {"sweep", "--outbox-active", "50d"});
    const auto swept = cuebox_run(database, {"sweep", "--json", "--by", "ada"});

    CHECK(refused.exit == 1);
    CHECK(says(refused.err, "handled_active must be longer than outbox_active"));
    CHECK(early.out == "tombstoned 0, deleted 0\n");
    CHECK(says(swept.out, R"({"ran":true,"tombstoned":1,"deleted":0,)"));
    CHECK(database.query("select actor, detail->>'tombstoned' from core.operator_actions "
                         "where action = 'sweep' order by id desc limit 1") == "ada|1");
    CHECK(cuebox_run(database, {"sweep", "--handled-active", "long"}).exit == 2);
}

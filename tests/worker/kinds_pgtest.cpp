#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;

namespace {

std::string sql(const std::string& name, const std::string& statement)
{
    return R"({"name": "test.)" + name + R"(", "kind": "sql", "events": ["test.sql"], )" +
           R"("statement": ")" + statement + R"(", "retry": {"base": "1ms", "cap": "1ms"}})";
}

// A shell script as a handler; two tries.
std::string exec(const std::string& script, const std::string& more = "")
{
    return R"({"name": "test.exec", "kind": "exec", "events": ["test.exec"], "command": ["sh", )"
           R"("-c", ")" +
           script + R"("], "retry": {"max_retries": 1, "base": "1ms", "cap": "1ms"})" + more + "}";
}

std::string last_error(const workshop& shop)
{
    return shop.database.query("select last_error from core.outbox");
}

}

TEST_CASE("a sql handler may use any of its seven parameters, or none", "[worker]")
{
    workshop shop;
    shop.database.query("create table seen (what text, value text); "
                        "create table totals (id uuid, amount numeric)");
    const auto worker = shop.start_stock(
        {.handlers =
             sql("all", "insert into seen values ('all', concat_ws(' ', $1::uuid, $2, $3, $4, $5, "
                        "$6 at time zone 'UTC', $7))") +
             "," + sql("none", "insert into seen values ('none', '')") + "," +
             sql("spec", "insert into totals values ($1, ($3->>'amount')::numeric)") + "," +
             sql("domain", "insert into seen select 'domain', coalesce($5::text, 'none')") + "," +
             sql("time", "insert into seen select 'time', ($6 <= now())::text") + "," +
             sql("source", "insert into seen values ('source', $7)") + "," +
             sql("key", "insert into seen values ($2, $4)")});

    shop.database.query(
        "select core.outbox_publish('test.sql', 'shop', 7, '{\"amount\": 12.50}', "
        "p_idempotency_key => 'k', p_domain_id => '11111111-2222-4333-8444-555555555555', "
        "p_occurred_at => '2026-01-02 03:04:05Z', "
        "p_event_id => '00000000-0000-7000-8000-000000000001')");

    REQUIRE(shop.reaches("delivered 0: 1"));
    CHECK(shop.database.query("select what, value from seen order by what") ==
          "all|00000000-0000-7000-8000-000000000001 test.sql {\"amount\": 12.50} k "
          "11111111-2222-4333-8444-555555555555 2026-01-02 03:04:05 shop\n"
          "domain|11111111-2222-4333-8444-555555555555\n"
          "none|\n"
          "source|shop\n"
          "test.sql|k\n"
          "time|true");
    CHECK(shop.database.query("select * from totals") ==
          "00000000-0000-7000-8000-000000000001|12.50");
    shop.publish("test.sql", R"({"amount": 1})");
    CHECK(shop.reaches("delivered 0: 2"));
    CHECK(shop.database.query("select count(*) from seen where value = 'none'") == "1");
    CHECK(worker->stop() == 0);
}

TEST_CASE("what the database will never take is a dead letter, all else is tried again", "[worker]")
{
    workshop shop;
    shop.database.query("create table once (number int primary key)");
    const auto worker = shop.start_stock(
        {.handlers = sql("once", "insert into once values (($3->>'number')::int)")});

    shop.publish("test.sql", R"({"number": 1})");
    REQUIRE(shop.reaches("delivered 0: 1"));
    shop.publish("test.sql", R"({"number": 1})");
    shop.publish("test.sql", R"({"number": "x"})");
    shop.publish("test.sql", R"({"number": 2})");
    REQUIRE(shop.reaches("delivered 0: 2, failed 0: 2"));
    shop.database.query("drop table once");
    shop.publish("test.sql", R"({"number": 3})");

    CHECK(shop.reaches("delivered 0: 2, failed 0: 2, failed 5: 1"));
    CHECK(contains(shop.database.query("select string_agg(last_error, ' ') from core.outbox"),
                   "once_pkey"));
    // As the runbook groups them.
    CHECK(shop.database.query("select string_agg(distinct split_part(last_error, ':', 1), ', ') "
                              "from core.outbox where status = 'failed'") ==
          "SQLSTATE 22P02, SQLSTATE 23505, SQLSTATE 42P01");
    CHECK(worker->stop() == 0);
}

TEST_CASE("an exec handler's program gets the envelope on stdin and what matters as variables",
          "[worker]")
{
    workshop shop;
    const std::string out = (shop.files / "out").string();
    const auto worker = shop.start_stock(
        {.handlers = exec("cat > $OUT.part; echo $CUEBOX_EVENT_TYPE $CUEBOX_ATTEMPT >> $OUT.part; "
                          "echo ignored >&2; mv $OUT.part $OUT",
                          R"(, "environment": {"OUT": ")" + out + R"("})")});

    shop.publish("test.exec", R"({"number": 5})");

    REQUIRE(shop.reaches("delivered 0: 1"));
    const std::string got = read_file(out);
    CHECK(contains(got, R"("payload":{"number": 5})"));
    CHECK(contains(got, shop.database.query("select id from core.outbox")));
    CHECK(got.ends_with("}\ntest.exec 1\n"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a program that exits with 65 has refused the event for good", "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock({.handlers = exec("echo no such order >&2; exit 65")});

    shop.publish("test.exec", "{}");

    CHECK(shop.reaches("failed 0: 1"));
    CHECK(last_error(shop) == "no such order: sh exited with 65");
    CHECK(worker->stop() == 0);
}

TEST_CASE("a program that ends in any other way is run again", "[worker]")
{
    workshop shop;
    const std::string flag = (shop.files / "flag").string();
    SECTION("and may succeed then")
    {
        const auto worker =
            shop.start_stock({.handlers = exec("test -e " + flag + " || { touch " + flag +
                                               "; echo not yet >&2; exit 3; }")});

        shop.publish("test.exec", "{}");

        CHECK(shop.reaches("delivered 1: 1"));
        CHECK(worker->stop() == 0);
    }
    SECTION("or fail until its retries are used up")
    {
        const auto worker = shop.start_stock({.handlers = exec("echo busy >&2; exit 3")});

        shop.publish("test.exec", "{}");

        CHECK(shop.reaches("failed 1: 1"));
        CHECK(last_error(shop) == "busy: sh exited with 3");
        CHECK(worker->stop() == 0);
    }
    SECTION("a signal is no exit")
    {
        const auto worker = shop.start_stock({.handlers = exec("kill -9 $$")});

        shop.publish("test.exec", "{}");

        CHECK(shop.reaches("failed 1: 1"));
        CHECK(last_error(shop) == "ended by signal 9: sh");
        CHECK(worker->stop() == 0);
    }
    SECTION("one that has gone since the start, too")
    {
        const std::string program = (shop.files / "program").string();
        std::filesystem::copy_file("/bin/true", program);
        const auto worker = shop.start_stock(
            {.handlers = R"({"name": "test.exec", "kind": "exec", "events": ["test.exec"],
                             "command": [")" +
                         program + R"("], "retry": {"max_retries": 0}})"});
        REQUIRE(worker->listens());
        std::filesystem::remove(program);

        shop.publish("test.exec", "{}");

        CHECK(shop.reaches("failed 0: 1"));
        CHECK(last_error(shop).starts_with("could not run: " + program + ": "));
        CHECK(worker->stop() == 0);
    }
}

TEST_CASE("a program that does not read its event does not take the worker with it", "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock({.handlers = exec("exit 0")});

    // More than a pipe holds, so that it is being written while the program ends.
    shop.database.query("select core.outbox_publish('test.exec', 'test', 7, "
                        "jsonb_build_object('text', repeat('x', 200000)))");

    CHECK(shop.reaches("delivered 0: 1"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("what a program says that is no text does not keep its row from being settled",
          "[worker]")
{
    workshop shop;
    const auto worker =
        shop.start_stock({.handlers = exec(R"(printf 'a\\377b\\303' >&2; exit 65)")});

    shop.publish("test.exec", "{}");

    CHECK(shop.reaches("failed 0: 1"));
    CHECK(last_error(shop).starts_with("a"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a program that says a great deal is quoted with the end of it", "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock(
        {.handlers =
             exec("i=0; while [ $i -lt 20000 ]; do echo é$i; i=$((i+1)); done >&2; exit 65")});

    shop.publish("test.exec", "{}");

    CHECK(shop.reaches("failed 0: 1"));
    INFO(last_error(shop));
    CHECK(last_error(shop).ends_with("é19998\né19999"));
    CHECK(last_error(shop).size() <= 2'100);
    CHECK(worker->stop() == 0);
}

TEST_CASE("a program that takes too long is killed with all it has started", "[worker]")
{
    workshop shop;
    const std::string out = (shop.files / "out").string();
    const auto worker = shop.start_stock(
        {.handlers = exec("sleep 600 & echo $! > " + out + "; wait", R"(, "timeout": "300ms")")});

    shop.publish("test.exec", "{}");

    CHECK(shop.reaches("failed 1: 1"));
    CHECK(last_error(shop) == "timeout: took longer than 300ms");
    const pid_t child = std::stoi(read_file(out));
    CHECK(eventually([&] {
        const std::string state = read_file("/proc/" + std::to_string(child) + "/stat");
        return state.empty() || contains(state, ") Z ");
    }));
    CHECK(worker->stop() == 0);
}

TEST_CASE("what a program leaves behind does not keep its event waiting", "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock({.handlers = exec("sleep 600 & exit 0")});

    shop.publish("test.exec", "{}");

    CHECK(shop.reaches("delivered 0: 1", 10s));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a log handler tells of events and keeps their payloads to itself", "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock(
        {.handlers =
             R"({"name": "test.log", "kind": "log", "events": ["test.log"], "level": "warning"})"});

    shop.publish("test.log", R"({"card": "4111"})");

    REQUIRE(shop.reaches("delivered 0: 1"));
    CHECK(worker->stop() == 0);
    const std::string log = worker->log();
    INFO(log);
    CHECK(contains(log, "test.log"));
    CHECK(contains(log, shop.database.query("select id from core.outbox")));
    CHECK(contains(log, "payload_bytes"));
    CHECK_FALSE(contains(log, "4111"));
}

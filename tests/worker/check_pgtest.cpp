#include "support/pooler.hpp"
#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;

namespace {

// `cuebox worker --check` of a config that has a file of its own: the exit code and all it says.
std::string check(const std::string& config, const cuebox::test::environment& with = {})
{
    const cuebox::embedded::test::scratch files;
    const std::string path = (files / "w.jaxn").string();
    write_file(path, config);
    const auto ended = cuebox::test::run(CUEBOX, {"worker", "--check", "--config", path}, "", with);
    std::string said = std::to_string(ended.exit) + " " + ended.out + ended.err;
    for (auto at = said.find(path); at != std::string::npos; at = said.find(path))
        said.replace(at, path.size(), "w.jaxn");
    return said;
}

std::string logging(const std::string& name, const std::string& generation = "7")
{
    return R"({contexts: [{context: "shop", generation: )" + generation +
           R"(, handlers: [{name: ")" + name + R"(", kind: "log", events: ["a"]}]}]})";
}

}

TEST_CASE("cuebox worker --check prints what would run, and needs no database for it", "[worker]")
{
    CHECK(check(logging("shop.log")) == "0 shop  generation 7  workers 16  lanes 2\n"
                                        "└── shop.log  leased  a\n");
    CHECK(contains(check(logging("shop.log", "null")), "generation from the environment"));
}

TEST_CASE("cuebox worker --check refuses a bad config with its place and what to do", "[worker]")
{
    const std::string at = "1 cuebox: w.jaxn: /contexts/0";
    CHECK(check("{contexts: [").starts_with("1 cuebox: w.jaxn:1:"));
    CHECK(check("{contexts: []}")
              .starts_with("1 cuebox: w.jaxn: /contexts: is empty: name at least one context"));
    CHECK(check(R"({contexts: [{handlers: []}]})").starts_with(at + "/context: required"));
    CHECK(check(R"({contexts: [{context: "a", handler: []}]})")
              .starts_with(at + R"(: unknown key "handler", did you mean "handlers"?)"));
    CHECK(
        check(logging("unscoped")) ==
        "1 cuebox: handler \"unscoped\": the name has no scope; call it \"<context>.unscoped\"\n");
    CHECK(check(R"({contexts: [{context: "a", generation: 1, handlers: [{name: "a.b"}]}]})")
              .starts_with(at + "/handlers/0/name: no handler of that name was registered; give it "
                                "a kind: sql, webhook, exec, log or agent_tasks"));
    CHECK(check(logging("shop.log", "\"7\"")).starts_with(at + "/generation: "));
}

TEST_CASE("cuebox worker tells wrong usage from a wrong config", "[worker]")
{
    const auto missing = cuebox::test::run(CUEBOX, {"worker"});
    const auto unknown = cuebox::test::run(CUEBOX, {"worker", "--configs", "x"});
    const auto absent = cuebox::test::run(CUEBOX, {"worker", "--config", "/no/such/file"});

    CHECK(missing.exit == 2);
    CHECK(contains(missing.err, "--config is required"));
    CHECK(unknown.exit == 2);
    CHECK(absent.exit == 1);
    CHECK(absent.err == "cuebox: no config /no/such/file: give --config an existing file\n");
}

TEST_CASE("a config takes ${NAME} from the environment", "[worker]")
{
    CHECK(contains(check(logging("shop.${A}"), {{"A", "mail"}}), "└── shop.mail  leased"));
    CHECK(contains(check(logging("shop.$${A}")), "└── shop.${A}  leased"));
    CHECK(contains(check("// ${NONE}\n/* \"${NONE}\" */ # '${NONE}'\n" + logging("shop.log")),
                   "└── shop.log"));
    CHECK(contains(check(logging("shop.${NONE_OF_THAT_NAME}")),
                   "the environment variable NONE_OF_THAT_NAME is not set"));
}

TEST_CASE("events are not sent in the open: a worker that would is refused at its start",
          "[worker]")
{
    workshop shop;

    const auto ended =
        shop.run_stock({.handlers = R"({"name": "test.hook", "kind": "webhook", "events": ["a"],
                         "url": "http://shop.example/hook"})"});

    CHECK(ended.exit == 1);
    CHECK(contains(ended.err, "/contexts/0/handlers/0/url: is not https: events would travel in "
                              "the open; set allow_plain_http if that is meant"));
}

namespace {

std::string sql(const std::string& statement)
{
    return R"({"name": "test.log", "kind": "log", "events": ["b"]}, {"name": "test.sql", )"
           R"("kind": "sql", "events": ["a"], "statement": ")" +
           statement + R"("})";
}

}

TEST_CASE("a statement that the database refuses is refused at the start, with its place",
          "[worker]")
{
    workshop shop;
    shop.database.query("create table totals (buyer text, cents bigint)");
    const auto said = [&shop](const std::string& statement, bool check = false) {
        const auto ended =
            shop.run_stock({.handlers = sql(statement)}, check ? std::vector<std::string>{"--check"}
                                                               : std::vector<std::string>{});
        CHECK(ended.exit == 1);
        const auto at = ended.err.find("/contexts/");
        return at == std::string::npos ? ended.err : ended.err.substr(at);
    };
    const std::string at = "/contexts/0/handlers/1/statement: ";

    CHECK(said("insrt into totals values ($9)") ==
          at + "syntax error at or near \"insrt\" (SQLSTATE 42601)\n");
    CHECK(said("insrt into totals values ($9)", true) ==
          at + "syntax error at or near \"insrt\" (SQLSTATE 42601)\n");
    CHECK(said("insert into totals values ($9)")
              .starts_with(at + "uses a parameter past $7: there are $1 event_id"));
    CHECK(said("insert into missing values ($2)") ==
          at + "relation \"missing\" does not exist (SQLSTATE 42P01); create what the statement "
               "needs before the worker starts: until then every event would fail\n");
    CHECK(said("insert into totals values ($2, $3)")
              .starts_with(at +
                           "column \"cents\" is of type bigint but expression is of type jsonb"));
    CHECK(said("delete from totals; delete from totals")
              .starts_with(at + "cannot insert multiple commands into a prepared statement"));
    CHECK(shop.database.query("select count(*) from totals") == "0");
    CHECK(shop.database.query("select count(*) from core.workers") == "0");
}

TEST_CASE("cuebox worker --check has a database look at statements, if it is given one", "[worker]")
{
    workshop shop;
    shop.database.query("create table totals (buyer text, cents bigint)");
    const std::string statement = "insert into totals values ($3->>'buyer', 1)";

    const auto with = shop.run_stock({.handlers = sql(statement)}, {"--check"});
    CHECK(with.exit == 0);
    CHECK(contains(with.out, "└── test.sql  transactional  a\n"));
    CHECK(with.err == "");
    const std::string without = check(
        R"({contexts: [{context: "test", generation: 7, handlers: [)" + sql(statement) + "]}]}");
    CHECK(contains(without, "└── test.sql  transactional  a\n"));
    CHECK(contains(without, "SQL statements are not checked: give --database URL"));
}

TEST_CASE("a statement is checked by way of a pooler as well", "[worker]")
{
    workshop shop;
    const cuebox::test::pooler pooler;
    const auto ended = cuebox::test::run(
        CUEBOX, {"worker", "--check", "--config", shop.write({.handlers = sql("select $8::int")}),
                 "--database", pooler.conninfo(shop.database.name())});

    CHECK(ended.exit == 1);
    CHECK(contains(
        ended.err,
        "/contexts/0/handlers/1/statement: uses a parameter past $7: there are $1 event_id"));
}

TEST_CASE("cuebox worker without a schema says what to do", "[worker]")
{
    workshop shop;
    shop.database.query("drop schema core cascade");

    const auto ended =
        shop.run_stock({.handlers = R"({"name": "test.log", "kind": "log", "events": ["a"]})"});

    CHECK(ended.exit == 1);
    CHECK(ended.err == "cuebox: the database has no Cuebox schema: run `cuebox migrate`\n");
}

TEST_CASE("cuebox worker refuses a schema that lacks what it calls", "[worker]")
{
    workshop shop;
    shop.database.query("drop function core.outbox_trace_of");

    const auto ended =
        shop.run_stock({.handlers = R"({"name": "test.log", "kind": "log", "events": ["a"]})"});

    CHECK(ended.exit == 1);
    CHECK(ended.err ==
          "cuebox: the database's schema is older than this program: run `cuebox migrate`\n");
}

TEST_CASE("cuebox worker with a log that cannot be written says which key that is", "[worker]")
{
    workshop shop;
    const std::string path = (shop.files / "w.jaxn").string();
    write_file(path, R"({log: {file: "/proc/none/w.log"}, )" + logging("shop.log").substr(1));

    const auto ended = cuebox::test::run(
        CUEBOX, {"worker", "--config", path, "--database", shop.database.conninfo()});

    CHECK(ended.exit == 1);
    CHECK(ended.err.starts_with("cuebox: " + path + ": /log/file: cannot be written: "));
}

TEST_CASE("cuebox worker without a generation says what to do", "[worker]")
{
    workshop shop;
    const std::string path = (shop.files / "w.jaxn").string();
    write_file(path, logging("shop.log", "null"));

    const auto ended = cuebox::test::run(
        CUEBOX, {"worker", "--config", path, "--database", shop.database.conninfo()});

    CHECK(ended.exit == 1);
    CHECK(contains(ended.err, "cuebox: no generation: configure one or set CUEBOX_GENERATION"));
}

#ifdef OWN_WORKER

#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

#include <regex>

// examples/own_worker.cpp: a program around worker::main() is a `cuebox worker` with handlers.
using namespace cuebox::worker::test;

namespace {

const std::string own_config = std::string(CUEBOX_SOURCE) + "/examples/own_worker.jaxn";

cuebox::test::outcome own(const std::vector<std::string>& arguments)
{
    return cuebox::test::run(OWN_WORKER, arguments);
}

// With the name it is called by, so that what two programs say can be compared.
std::string as_cuebox(const std::string& said)
{
    const std::string named = std::regex_replace(said, std::regex("`own_worker"), "`cuebox worker");
    return std::regex_replace(named, std::regex("own_worker"), "cuebox");
}

// A config for it beside its log.
std::string configure(const workshop& shop, const std::string& settings,
                      const std::string& process = "")
{
    const std::string path = (shop.files / "own.jaxn").string();
    write_file(path, "{ log: { file: \"" + path + ".log\" }, " + process +
                         R"( contexts: [ { context: "billing", generation: 7, gauge: "1h", )" +
                         settings + R"( handlers: [
        { name: "billing.send_invoice" }, { name: "billing.ledger" } ] } ] })");
    return path;
}

std::unique_ptr<running_worker> start(const workshop& shop, const std::string& config)
{
    return std::make_unique<running_worker>(
        OWN_WORKER,
        std::vector<std::string>{"--config", config, "--database", shop.database.conninfo()},
        config + ".log", config + ".release", cuebox::test::environment{});
}

void order(const workshop& shop, int cents)
{
    shop.publish("order.placed", "{\"number\": " + std::to_string(cents) +
                                     ", \"cents\": " + std::to_string(cents) + "}");
}

}

TEST_CASE("a worker of one's own checks a config that names its handlers", "[worker]")
{
    const auto checked = own({"--check", "--config", own_config});

    CHECK(checked.exit == 0);
    CHECK(checked.out == "billing  generation from the environment  workers 16  lanes 2\n"
                         "├── billing.ledger  leased  order.placed\n"
                         "├── billing.note  leased  order.placed\n"
                         "└── billing.send_invoice  transactional  order.placed\n");
    CHECK(contains(own({"--check", "--json", "--config", own_config}).out,
                   R"({"name":"billing.ledger","delivery":"leased","events":["order.placed"]})"));
}

TEST_CASE("a worker of one's own takes the arguments of cuebox worker and says what that says",
          "[worker]")
{
    const auto options = [](const std::string& help) {
        return help.substr(help.find("--database"));
    };
    const auto own_help = own({"--help"});
    const auto stock_help = cuebox::test::run(CUEBOX, {"worker", "--help"});
    CHECK(own_help.exit == 0);
    CHECK(options(own_help.out) == options(stock_help.out));

    struct row
    {
        std::vector<std::string> arguments;
        int exit;
    };
    const row table[] = {{{}, 2}, {{"--configs", "x"}, 2}, {{"--config", "/no/such/file"}, 1}};
    for (const row& each : table) {
        std::vector<std::string> arguments{"worker"};
        arguments.insert(arguments.end(), each.arguments.begin(), each.arguments.end());
        const auto mine = own(each.arguments);
        const auto stock = cuebox::test::run(CUEBOX, arguments);
        CHECK(mine.exit == each.exit);
        CHECK(stock.exit == each.exit);
        CHECK(as_cuebox(mine.err) == stock.err);
    }
    CHECK(own({"--json", "--config", own_config}).exit == 2);
}

TEST_CASE("a worker of one's own without a database, or with a wrong config, says what to do",
          "[worker]")
{
    workshop shop;
    const auto lost = cuebox::test::run("env", {"-u", "CUEBOX_DATABASE_URL", "-u", "DATABASE_URL",
                                                OWN_WORKER, "--config", own_config});
    CHECK(lost.exit == 1);
    CHECK(lost.err.starts_with("own_worker: no database: give --database URL"));

    const std::string config = (shop.files / "wrong.jaxn").string();
    write_file(config, R"({contexts: [{context: "a", handlers: [{name: "billing.leger"}]}]})");
    const auto unknown = own({"--config", config, "--database", shop.database.conninfo()});
    CHECK(unknown.exit == 1);
    CHECK(contains(unknown.err, "/contexts/0/handlers/0/name: no handler of that name"));
}

TEST_CASE("a worker of one's own runs its handlers and actors, takes SIGHUP and stops on SIGTERM",
          "[worker]")
{
    workshop shop;
    shop.database.query("create table invoices (number bigint primary key, cents bigint)");
    const std::string config = configure(shop, "");
    const auto worker = start(shop, config);
    REQUIRE(worker->listens());

    order(shop, 450);
    REQUIRE(shop.reaches("delivered 0: 1"));
    configure(shop, "workers: 3,");
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] { return contains(worker->log(), "config re-read"); }));
    order(shop, 620);
    REQUIRE(shop.reaches("delivered 0: 2"));
    worker->signal(SIGTERM);
    const auto ended = worker->wait();

    CHECK(ended.exit == 0);
    CHECK(ended.out == "450 cents so far\n1070 cents so far\n");
    CHECK(shop.database.query("select count(*), sum(cents) from invoices") == "2|1070");
    CHECK(contains(worker->log(), "stopped"));
}

TEST_CASE("with several threads each thread of a worker has its own actors", "[worker]")
{
    workshop shop;
    shop.database.query("create table invoices (number bigint primary key, cents bigint)");
    const auto worker = start(shop, configure(shop, "", "threads: 2,"));
    REQUIRE(eventually([&] { return count(worker->log(), "listening") == 2; }));

    for (int cents = 1; cents <= 200; ++cents)
        order(shop, cents);
    REQUIRE(shop.reaches("delivered 0: 200"));
    worker->signal(SIGTERM);
    const auto ended = worker->wait();

    // Whichever thread took an event, one of the two ledgers counted it.
    CHECK(ended.exit == 0);
    CHECK(count(ended.out, "cents so far") == 200);
    CHECK(shop.database.query("select count(*) from invoices") == "200");
}

#endif

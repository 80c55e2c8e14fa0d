// A second terminal beside a command that runs a private Postgres.
#include "embedded/scratch.hpp"
#include "support/eventually.hpp"
#include "support/process.hpp"
#include "support/psql.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <fstream>
#include <unistd.h>

using cuebox::embedded::test::scratch;
using cuebox::test::eventually;
using cuebox::test::outcome;
using cuebox::test::process;
using cuebox::test::psql;

namespace {

bool says(const std::string& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

// A directory with a config in it, and a cluster.
struct desk
{
    desk()
    {
        std::ofstream{files / "worker.jaxn"} << R"({ contexts: [ { context: "billing",
            handlers: [ { name: "billing.note", kind: "log", events: ["order.placed"] } ] } ] })";
    }

    std::string database() const { return "embedded:" + (files / "data").string(); }

    outcome run(std::vector<std::string> arguments) const
    {
        return cuebox::test::run(CUEBOX, arguments, "",
                                 {{"CUEBOX_DATABASE_URL", database()}, {"CUEBOX_GENERATION", "1"}});
    }

    std::vector<std::string> worker() const
    {
        return {"worker", "--config", (files / "worker.jaxn").string(), "--database", database()};
    }

    scratch files;
};

// Whether a worker's log has this, by and by.
bool reaches(process& worker, std::string_view part)
{
    return eventually([&] { return says(worker.complaints(), part); });
}

std::string line_of(const outcome& told)
{
    return told.out.substr(0, told.out.find('\n'));
}

const cuebox::test::environment first_generation{{"CUEBOX_GENERATION", "1"}};

}

TEST_CASE("a second terminal joins the Postgres that a worker runs", "[cuebox]")
{
    const desk desk;
    REQUIRE(desk.run({"migrate"}).exit == 0);
    process worker{CUEBOX, desk.worker(), first_generation};
    REQUIRE(reaches(worker, "listening"));

    CHECK(desk.run({"publish", "--type", "order.placed", "--source", "shop"}).exit == 0);
    CHECK(reaches(worker, "status_result=delivered"));
    CHECK(desk.run({"status"}).exit == 0);
    const outcome url = desk.run({"url"});
    CHECK(url.err.empty());
    CHECK(psql(line_of(url), "select status from core.outbox") == "delivered");
    CHECK(says(cuebox::test::run(CUEBOX, {"status", "--database", line_of(url)}).out, "backlog"));

    worker.signal(SIGTERM);
    CHECK(worker.wait().exit == 0);
    const outcome none = desk.run({"url"});
    CHECK(none.exit == 1);
    CHECK(says(none.err, "no Postgres runs in " + (desk.files / "data").string()));
    CHECK(says(none.err, "start one and ask again"));
}

TEST_CASE("a worker that joined another's Postgres ends with it, and says why", "[cuebox]")
{
    const desk desk;
    REQUIRE(desk.run({"migrate"}).exit == 0);
    process first{CUEBOX, desk.worker(), first_generation};
    REQUIRE(reaches(first, "listening"));
    process second{CUEBOX, desk.worker(), first_generation};
    REQUIRE(reaches(second, "joined the Postgres of another command"));
    REQUIRE(reaches(second, "listening"));

    first.signal(SIGTERM);

    CHECK(first.wait().exit == 0);
    CHECK(reaches(second, "has stopped: it was another command's"));
    CHECK(second.wait().exit == 1);
}

TEST_CASE("commands that come to one directory at once all do their work", "[cuebox]")
{
    const desk desk;

    std::vector<std::unique_ptr<process>> all;
    for (int i = 0; i < 4; ++i)
        all.push_back(std::make_unique<process>(
            CUEBOX, std::vector<std::string>{"migrate", "--database", desk.database()}));

    // Those that joined may lose the server with the first one's end, and must say so.
    int done = 0;
    for (const auto& each : all) {
        const outcome told = each->wait();
        INFO(told.err);
        done += told.exit == 0 ? 1 : 0;
        CHECK((told.exit == 0 || says(told.err, "cuebox: ")));
    }
    CHECK(done >= 1);
    CHECK(desk.run({"migrate"}).exit == 0);
}

TEST_CASE("cuebox url prints one word that psql takes, and as JSON where it leads", "[cuebox]")
{
    const desk desk;
    REQUIRE(desk.run({"migrate"}).exit == 0);
    process worker{CUEBOX, desk.worker(), first_generation};
    REQUIRE(reaches(worker, "listening"));

    const std::string url = line_of(desk.run({"url"}));
    const std::string json = desk.run({"url", "--json"}).out;

    CHECK(url.starts_with("postgresql://postgres@/postgres?host=/"));
    CHECK(url.find_first_of(" '\"$") == url.npos);
    CHECK(json.starts_with(R"({"url":")" + url + R"(","password_left_out":false,"directory":")" +
                           (desk.files / "data").string() + R"(","pid":)"));
}

TEST_CASE("cuebox url leaves out the password of a URL unless it is asked for", "[cuebox]")
{
    const std::string given = "postgresql://app:secret@db.example/shop";

    const outcome plain = cuebox::test::run(CUEBOX, {"url", "--database", given});
    const outcome whole =
        cuebox::test::run(CUEBOX, {"url", "--with-password", "--database", given});

    CHECK(plain.out == "postgresql://app@db.example/shop\n");
    CHECK(says(plain.err, "the password is left out"));
    CHECK(whole.out == given + "\n");
    CHECK(whole.err.empty());
    CHECK(cuebox::test::run(CUEBOX, {"url", "--json", "--database", given}).out ==
          "{\"url\":\"postgresql://app@db.example/shop\",\"password_left_out\":true}\n");
}

TEST_CASE("cuebox url says what to give where there is no server to reach", "[cuebox]")
{
    const scratch files;
    const outcome temporary = cuebox::test::run(CUEBOX, {"url", "--database", "embedded"});
    CHECK(temporary.exit == 1);
    CHECK(says(temporary.err, "give --database embedded:DIR"));

    const auto missing = (files / "none").string();
    CHECK(cuebox::test::run(CUEBOX, {"url", "--database", "embedded:" + missing}).exit == 1);
    CHECK_FALSE(std::filesystem::exists(missing));
}

TEST_CASE("another user's private Postgres is neither joined nor shown", "[cuebox]")
{
    if (::geteuid() != 0)
        SKIP("only root can become somebody else");
    const desk desk;
    REQUIRE(desk.run({"migrate"}).exit == 0);
    process worker{CUEBOX, desk.worker(), first_generation};
    REQUIRE(reaches(worker, "listening"));

    for (const char* command : {"url", "status"}) {
        const outcome refused =
            cuebox::test::run("setpriv", {"--reuid=nobody", "--regid=nogroup", "--clear-groups",
                                          CUEBOX, command, "--database", desk.database()});
        CHECK(refused.exit == 1);
        CHECK(says(refused.err, "could not look into " + (desk.files / "data").string()));
    }
}

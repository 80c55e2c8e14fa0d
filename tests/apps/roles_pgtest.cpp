// What a login is told that lacks a role.
#include "embedded/scratch.hpp"
#include "support/eventually.hpp"
#include "support/migrated.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <fstream>

using namespace cuebox::outbox::test;
using cuebox::test::outcome;

namespace {

constexpr const char* some_id = "01a1e3ed-0d7e-7268-807b-f2b3dcb8edeb";

// A login that may connect and nothing else; its name needs quotes in SQL.
class lowly
{
public:
    explicit lowly(const cuebox::test::database& in) : in_(in), name_("Ann " + in.name())
    {
        in_.query("create role " + quoted() + " login");
    }
    ~lowly() { in_.query("drop owned by " + quoted() + "; drop role " + quoted()); }
    lowly(const lowly&) = delete;
    lowly& operator=(const lowly&) = delete;

    std::string quoted() const { return "\"" + name_ + "\""; }
    std::string conninfo() const { return in_.conninfo() + " user='" + name_ + "'"; }

    outcome run(std::vector<std::string> arguments, std::string_view input = "") const
    {
        arguments.insert(arguments.end(), {"--database", conninfo()});
        return cuebox::test::run(CUEBOX, arguments, input, {{"CUEBOX_GENERATION", "1"}});
    }

private:
    const cuebox::test::database& in_;
    std::string name_;
};

std::string refusal(const lowly& login, const std::string& command, const std::string& role)
{
    return "cuebox: `cuebox " + command + "` needs the role " + role + ", which the login " +
           login.quoted() + " does not have: have an administrator run `grant " + role + " to " +
           login.quoted() + "`\n";
}

std::string config_in(const cuebox::embedded::test::scratch& files)
{
    std::ofstream{files / "worker.jaxn"} << R"({ contexts: [ { context: "billing", handlers: [
        { name: "billing.note", kind: "log", events: ["order.placed"] } ] } ] })";
    return (files / "worker.jaxn").string();
}

}

TEST_CASE("a login without a role is told which one a command needs", "[cuebox]")
{
    const migrated database;
    const lowly ann{database};
    struct row
    {
        std::string command;
        std::vector<std::string> arguments;
        std::string role;
    };
    const row table[] = {
        {"status", {"status"}, "cuebox_operator"},
        {"dlq list", {"dlq", "list"}, "cuebox_operator"},
        {"dlq show", {"dlq", "show", some_id}, "cuebox_operator"},
        {"dlq replay", {"dlq", "replay", some_id}, "cuebox_operator"},
        {"dlq discard", {"dlq", "discard", some_id}, "cuebox_operator"},
        {"dlq replay", {"dlq", "replay", "--type", "t", "--yes"}, "cuebox_operator"},
        {"generation list", {"generation", "list"}, "cuebox_operator"},
        {"generation allocate", {"generation", "allocate", "v1"}, "cuebox_operator"},
        {"generation retire", {"generation", "retire", "1"}, "cuebox_operator"},
        {"drain", {"drain", "--from", "1", "--to", "2"}, "cuebox_operator"},
        {"sweep", {"sweep"}, "cuebox_retention"},
        {"publish", {"publish", "--type", "t", "--source", "s"}, "cuebox_producer"},
        {"task create", {"task", "create", "--kind", "k", "--source", "s"}, "cuebox_producer"},
        {"task list", {"task", "list"}, "cuebox_operator"},
        {"task approve", {"task", "approve", some_id}, "cuebox_operator"}};

    for (const row& each : table) {
        const outcome refused = ann.run(each.arguments);
        CHECK(refused.exit == 1);
        CHECK(refused.err == refusal(ann, each.command, each.role));
        CHECK(refused.out.empty());
    }
    CHECK(ann.run({"publish"}, R"({"type": "t", "source": "s", "payload": {}})").err ==
          refusal(ann, "publish", "cuebox_producer"));
}

TEST_CASE("the grant that a refusal names is the one that helps", "[cuebox]")
{
    const migrated database;
    const lowly ann{database};
    const auto grant = [&](const std::string& role) {
        database.query("grant " + role + " to " + ann.quoted());
    };

    grant("cuebox_operator");
    CHECK(ann.run({"status"}).exit == 0);
    CHECK(ann.run({"dlq", "list"}).exit == 0);
    CHECK(ann.run({"generation", "allocate", "v1"}).exit == 0);
    CHECK(ann.run({"generation", "list"}).exit == 0);
    CHECK(ann.run({"task", "list"}).exit == 0);
    CHECK(ann.run({"sweep"}).err == refusal(ann, "sweep", "cuebox_retention"));
    grant("cuebox_retention");
    CHECK(ann.run({"sweep"}).exit == 0);
    grant("cuebox_producer");
    CHECK(ann.run({"publish", "--type", "t", "--source", "s"}).exit == 0);
}

TEST_CASE("a role that a login has and does not inherit is said to be so", "[cuebox]")
{
    const migrated database;
    const lowly ann{database};
    database.query("alter role " + ann.quoted() + " noinherit; grant cuebox_operator to " +
                   ann.quoted());

    const outcome refused = ann.run({"status"});

    CHECK(refused.exit == 1);
    CHECK(refused.err.find("has but does not inherit") != std::string::npos);
}

TEST_CASE("a worker whose login lacks the role does not start", "[cuebox]")
{
    const migrated database;
    const lowly ann{database};
    const cuebox::embedded::test::scratch files;

    const outcome refused = ann.run({"worker", "--config", config_in(files)});

    CHECK(refused.exit == 1);
    CHECK(refused.err == refusal(ann, "worker", "cuebox_worker"));
    CHECK(refused.out.empty());
}

TEST_CASE("a worker whose login has the role starts, and so does the schema's owner", "[cuebox]")
{
    for (const bool without_roles : {false, true}) {
        const migrated database{without_roles};
        const lowly ann{database};
        const cuebox::embedded::test::scratch files;
        if (!without_roles)
            database.query("grant cuebox_worker to " + ann.quoted());
        const std::string as = without_roles ? database.conninfo() : ann.conninfo();

        cuebox::test::process worker{CUEBOX,
                                     {"worker", "--config", config_in(files), "--database", as},
                                     {{"CUEBOX_GENERATION", "1"}}};

        CHECK(cuebox::test::eventually(
            [&] { return worker.complaints().find("listening") != std::string::npos; }));
        worker.signal(SIGTERM);
        CHECK(worker.wait().exit == 0);
    }
}

TEST_CASE("where the schema has no roles, a login is not told to get one", "[cuebox]")
{
    const migrated with_roles; // They belong to the cluster, not to a database.
    const migrated database{true};
    const lowly ann{database};

    const outcome refused = ann.run({"status"});

    CHECK(refused.exit == 1);
    CHECK(refused.err == "cuebox: `cuebox status` needs the role cuebox_operator, which has no "
                         "rights in this database: the schema was made without roles; connect as "
                         "its owner, or run `cuebox migrate` as that to add them\n");
}

TEST_CASE("a login that may not migrate is told who may", "[cuebox]")
{
    const cuebox::test::database empty;
    const migrated database;
    const lowly ann{empty};
    const lowly bob{database};

    const outcome first = ann.run({"migrate"});
    const outcome later = bob.run({"migrate"});

    CHECK(first.exit == 1);
    CHECK(first.err.find("grant create on database \"" + empty.name() + "\" to " + ann.quoted()) !=
          std::string::npos);
    CHECK(later.exit == 1);
    CHECK(later.err == "cuebox: `cuebox migrate` changes what the login \"postgres\" has made, and "
                       "the login " +
                           bob.quoted() + " may not: run it as \"postgres\"\n");
}

TEST_CASE("a right that no role gives is refused as the database says it", "[cuebox]")
{
    const migrated database;
    const lowly ann{database};
    database.query("grant cuebox_operator to " + ann.quoted() +
                   "; revoke execute on all functions in schema core from cuebox_operator");

    const outcome refused = ann.run({"dlq", "list"});

    CHECK(refused.exit == 1);
    CHECK(refused.err.find("permission denied for function") != std::string::npos);
}

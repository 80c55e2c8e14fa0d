// What a command says on a terminal: refusals, help, counts, and what others have written.
#include "support/migrated.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::outbox::test;
using cuebox::test::outcome;

namespace {

outcome cuebox_run(const std::vector<std::string>& arguments)
{
    return cuebox::test::run(CUEBOX, arguments);
}

outcome cuebox_on(const migrated& at, std::vector<std::string> arguments,
                  std::string_view input = "")
{
    arguments.insert(arguments.end(), {"--database", at.conninfo()});
    return cuebox::test::run(CUEBOX, arguments, input, {{"CUEBOX_GENERATION", "1"}});
}

bool says(const std::string& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

}

TEST_CASE("a usage error points to the help of the command it is in", "[cuebox]")
{
    struct row
    {
        std::vector<std::string> arguments;
        std::string help;
    };
    const row table[] = {{{"dlq", "replay", "--no-such-option"}, "`cuebox dlq replay --help`"},
                         {{"dlq", "list", "--limit", "0"}, "`cuebox dlq list --help`"},
                         {{"dlq", "no-such-command"}, "`cuebox dlq --help`"},
                         {{"dlq"}, "`cuebox dlq --help`"},
                         {{"generation", "retire", "x"}, "`cuebox generation retire --help`"},
                         {{"generation", "allocate"}, "`cuebox generation allocate --help`"},
                         {{"drain", "--from", "1"}, "`cuebox drain --help`"},
                         {{"task", "create"}, "`cuebox task create --help`"},
                         {{"worker"}, "`cuebox worker --help`"},
                         {{"publish", "--key", "k"}, "`cuebox publish --help`"},
                         {{"no-such-command"}, "`cuebox --help`"}};

    for (const row& each : table) {
        const outcome refused = cuebox_run(each.arguments);
        CHECK(refused.exit == 2);
        CHECK(refused.err.ends_with(": " + each.help + " lists what there is\n"));
        CHECK(cuebox_run({"--help"}).exit == 0);
    }
}

TEST_CASE("a number that counts from one is refused in few words otherwise", "[cuebox]")
{
    for (const char* wrong : {"x", "0", "-1", "1.5", "1e3", "9223372036854775808"}) {
        const outcome refused = cuebox_run({"generation", "retire", "--", wrong});
        CHECK(refused.exit == 2);
        CHECK(refused.err == "cuebox: generation: \"" + std::string(wrong) +
                                 "\" is not a whole number from 1 on: `cuebox generation retire "
                                 "--help` lists what there is\n");
    }
    const std::vector<std::vector<std::string>> others{
        {"drain", "--from", "x", "--to", "1"},
        {"drain", "--from", "1", "--to", "x"},
        {"bench", "latency", "--events", "x"},
        {"bench", "drain", "--events", "x"},
        {"bench", "drain", "--batch", "x"},
        {"publish", "--generation", "x"},
        {"publish", "--batch", "0"},
        {"task", "approve", "t", "--generation", "x"},
        {"dlq", "replay", "--limit", "x", "--all"}};
    for (const auto& each : others) {
        const outcome refused = cuebox_run(each);
        INFO(refused.err);
        CHECK(refused.exit == 2);
        CHECK(refused.err.size() < 160);
    }
}

TEST_CASE("the help of generation allocate explains the label", "[cuebox]")
{
    const std::string help = cuebox_run({"generation", "allocate", "--help"}).out;

    CHECK(says(help, "Take the next number for a deployment"));
    CHECK(says(help, "[OPTIONS] label\n"));
    CHECK(says(help, "such as v1.4.2"));
    CHECK_FALSE(says(help, "--label"));
    CHECK(says(help, "CUEBOX_GENERATION"));
}

TEST_CASE("one published event is one event", "[cuebox]")
{
    const migrated database;
    const std::string line = "{\"type\": \"t\", \"source\": \"s\", \"payload\": {}}\n";

    CHECK(cuebox_on(database, {"publish"}, line).out == "published 1 event\n");
    CHECK(cuebox_on(database, {"publish"}, line + line).out == "published 2 events\n");
    CHECK(cuebox_on(database, {"publish"}, "").out == "published 0 events\n");
    CHECK(says(cuebox_on(database, {"publish", "--batch", "1"}, line + "{").err,
               "the first event is published; correct the line and send the rest"));
}

TEST_CASE("text from the database commands no terminal", "[cuebox]")
{
    const migrated database;
    const std::string label = "v1\u202egpj.exe\033[31m\u200b";
    const std::string shown = R"(v1\u202egpj.exe\x1b[31m\u200b)";

    REQUIRE(cuebox_on(database, {"generation", "allocate", label}).exit == 0);
    REQUIRE(cuebox_on(database, {"task", "create", "--kind", label, "--source", "s"}).exit == 0);

    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"generation", "list"}, {"status"}, {"task", "list"}})
    {
        const std::string out = cuebox_on(database, command).out;
        CHECK(says(out, shown));
        CHECK_FALSE(says(out, "\u202e"));
    }
    CHECK(says(cuebox_on(database, {"task", "show", label}).err, shown));
}

#include "support/migrated.hpp"
#include "support/process.hpp"
#include "support/psql.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>

// docs/runbook.md, run: each section on a database in the state it is about, each block in its
// turn.
using namespace cuebox::test;
using cuebox::outbox::test::migrated;

namespace {

// ```sh, ```sql or ```text, and what is in it.
struct block
{
    std::string language;
    std::string text;
};
struct section
{
    std::string title;
    std::vector<block> blocks;
};

std::vector<section> read_runbook()
{
    std::ifstream file(std::string(CUEBOX_SOURCE) + "/docs/runbook.md");
    std::vector<section> all{{.title = "", .blocks = {}}};
    std::string line;
    bool inside = false;
    while (std::getline(file, line)) {
        if (inside && line == "```")
            inside = false;
        else if (inside)
            all.back().blocks.back().text += line + "\n";
        else if (line.starts_with("## "))
            all.push_back({.title = line.substr(3), .blocks = {}});
        else if (line.starts_with("```")) {
            inside = true;
            all.back().blocks.push_back({.language = line.substr(3), .text = {}});
        }
    }
    return all;
}

// What a section is about, made true.
class scene
{
public:
    const migrated& database() const { return database_; }
    void ask(const std::string& sql) { answer_ = database_.query(sql); }
    const std::string& answer() const { return answer_; }
    void set(const std::string& name, const std::string& value) { variables_[name] = value; }

    // A session that has a transaction open; ended with the scene.
    void leave_open(const std::string& sql)
    {
        open_ = std::make_unique<process>(find_psql(),
                                          std::vector<std::string>{"-qAtX", database_.conninfo()});
        open_->write("begin isolation level repeatable read; " + sql +
                     "; select pg_backend_pid();\n");
        while (!variables_.contains("pid"))
            if (const std::string line = open_->read_line(); !line.empty())
                set("pid", line);
    }

    outcome run_block(const block& what) const
    {
        if (what.language == "sql") {
            std::vector<std::string> arguments{"-X", "-v", "ON_ERROR_STOP=1"};
            for (const auto& [name, value] : variables_)
                arguments.insert(arguments.end(), {"-v", name + "=" + value});
            arguments.push_back(database_.conninfo());
            return run(find_psql(), arguments, what.text);
        }
        environment added{{"CUEBOX_DATABASE_URL", database_.conninfo()},
                          {"PATH", std::filesystem::path(CUEBOX).parent_path().string() + ":" +
                                       std::getenv("PATH")}};
        for (const auto& [name, value] : variables_)
            added.emplace_back(name, value);
        return run("bash", {"-euo", "pipefail", "-s"}, what.text, added);
    }

private:
    migrated database_;
    std::string answer_;
    std::map<std::string, std::string> variables_;
    std::unique_ptr<process> open_;
};

void publish(scene& in, const std::string& type, int generation, int count)
{
    in.ask("select count(core.outbox_publish('" + type + "', 'shop', " +
           std::to_string(generation) + ", '{\"item\": 17}', 'billing')) from generate_series(1, " +
           std::to_string(count) + ")");
}

void fail_pending(scene& in, const std::string& error)
{
    in.ask("update core.outbox set status = 'failed', attempts = 5, first_failed_at = now(), "
           "failed_at = now(), last_error = '" +
           error + "', last_handler = 'billing.reserve' where status = 'pending'");
}

void dead_letters(scene& in)
{
    in.ask("select core.allocate_generation('first'), "
           "core.subscribe('billing', 1, '{order.refused}')");
    publish(in, "order.refused", 1, 3);
    fail_pending(in, "no stock: item 17");
    in.ask("select id from core.outbox order by id limit 1");
    in.set("EVENT", in.answer());
    publish(in, "order.refused", 1, 1);
    fail_pending(in, "card refused: limit");
    in.ask("select id from core.outbox where last_error like 'card%'");
    in.set("OTHER", in.answer());
}

void stranded(scene& in)
{
    in.ask("select core.allocate_generation('first'), "
           "core.subscribe('billing', 1, '{order.refused}')");
    publish(in, "order.refused", 1, 3);
    fail_pending(in, "no stock: item 17");
    publish(in, "order.placed", 1, 2);
    in.ask("select core.allocate_generation('second'), core.retire_generation(1)");
}

void waiting(scene& in)
{
    in.ask("select core.allocate_generation('first')");
    publish(in, "order.placed", 1, 4);
}

void dead_worker(scene& in)
{
    waiting(in);
    in.ask("insert into core.workers (id, context, generation, host, pid, heartbeat_at) "
           "values ('billing@host:1:abc', 'billing', 1, 'host', 1, now() - interval '1 hour')");
    in.ask("select count(*) from core.outbox_claim('billing@host:1:abc', gen_random_uuid(), 1, "
           "'billing', array['order.placed'], null, 2, '-infinity', '-infinity')");
}

const std::map<std::string, std::function<void(scene&)>> scenes{
    {"", waiting},
    {"The backlog grows", waiting},
    {"A listener is down", dead_worker},
    {"Dead letters", dead_letters},
    {"The notification queue fills up", [](scene& in) { in.leave_open("listen somewhere"); }},
    {"A generation is stranded", stranded},
    {"Events nobody listens for", waiting},
    {"An old snapshot pins xmin", [](scene& in) { in.leave_open("select 1"); }},
    {"The disk fills up", waiting},
    {"A worker keeps dying", dead_letters},
};

// In an expectation `…` stands for anything.
bool matches(const std::string& said, const std::string& expected)
{
    static const std::string anything = "…";
    std::size_t from = 0;
    std::size_t at = 0;
    for (;;) {
        const auto end = expected.find(anything, at);
        const std::string piece = expected.substr(at, end - at);
        const auto found = said.find(piece, from);
        if (found == std::string::npos || (at == 0 && found != 0))
            return false;
        from = found + piece.size();
        if (end == std::string::npos)
            return from == said.size() || piece == "\n";
        at = end + anything.size();
    }
}

}

TEST_CASE("what stands for anything in an expectation does, and the rest is taken literally")
{
    CHECK(matches("moved 2 rows\n", "moved 2 rows\n"));
    CHECK(matches("moved 2 rows\n", "moved … rows\n"));
    CHECK(matches("a\nb\nc\n", "a\n…\n"));
    CHECK_FALSE(matches("moved 2 rows\n", "moved 3 rows\n"));
    CHECK_FALSE(matches("oh: moved 2 rows\n", "moved 2 rows\n"));
    CHECK_FALSE(matches("moved 2 rows\nand more\n", "moved 2 rows\n"));
}

TEST_CASE("every command of the runbook runs, and says what the runbook says it does", "[runbook]")
{
    std::size_t tried = 0;
    for (const section& each : read_runbook()) {
        INFO("## " << each.title);
        const auto made = scenes.find(each.title);
        REQUIRE(made != scenes.end());
        scene now;
        made->second(now);
        outcome last;
        for (const block& what : each.blocks) {
            INFO(what.text);
            if (what.language == "text") {
                INFO(last.out);
                CHECK(matches(last.out, what.text));
                continue;
            }
            REQUIRE((what.language == "sh" || what.language == "sql"));
            last = now.run_block(what);
            INFO(last.out << last.err);
            CHECK(last.exit == 0);
            ++tried;
        }
    }
    CHECK(tried > 20);
}

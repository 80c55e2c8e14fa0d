#include "cases.hpp"
#include "database.hpp"
#include "order.hpp"

#include <tao/json/from_string.hpp>
#include <tao/json/value.hpp>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

// Job queues for Node.js on the same server, each in its own schema.
namespace bench::publish {
namespace {

class payload_file
{
public:
    payload_file()
        : path_(std::filesystem::temp_directory_path() /
                ("cuebox_bench_" + std::to_string(getpid()) + ".json"))
    {
        std::ofstream file{path_};
        file << order_json();
        if (!file.flush())
            throw std::runtime_error("cannot write " + path_.string());
    }
    ~payload_file() { std::filesystem::remove(path_); }
    payload_file(const payload_file&) = delete;
    payload_file& operator=(const payload_file&) = delete;

    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

sample run(const std::string& script, std::size_t connections, std::uint64_t messages)
{
    const payload_file payload;
    const auto printed = run_child({"node", CUEBOX_BENCH_PEERS "/" + script, payload.path(),
                                    std::to_string(messages), std::to_string(connections)},
                                   the_database().variables());
    const auto answer = tao::json::from_string(printed);
    const std::chrono::duration<double> elapsed{answer.as<double>("seconds")};
    return {.elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed),
            .messages = answer.as<std::uint64_t>("count")};
}

bench_case peer_case(const char* system, std::string script, std::size_t connections,
                     std::uint64_t messages, std::string note)
{
    return {bulk(connections), system, messages,
            [=](std::uint64_t given) { return run(script, connections, given); },
            connections == 1 ? std::move(note) : ""};
}

}

bench_case graphile_case(std::size_t connections, std::uint64_t messages)
{
    return peer_case(systems::graphile, "graphile_bulk.mjs", connections, messages,
                     "Graphile Worker 0.18.0 on Node.js: addJobs of 1,000");
}

bench_case pg_boss_case(std::size_t connections, std::uint64_t messages)
{
    return peer_case(systems::pg_boss, "pg_boss_bulk.mjs", connections, messages,
                     "pg-boss 12.35.0 on Node.js: insert of 1,000");
}

}

#include "cases.hpp"
#include "database.hpp"
#include "listener.hpp"
#include "order.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

// What Postgres itself gives its own benchmark for the same row.
namespace bench::publish {
namespace {

// Everything but the payload is a constant, which is as cheap as it can be made.
std::string script(bool quiet, bool one_trip)
{
    const std::string insert =
        "insert into core.outbox (id, event_type, event_version, occurred_at, source, target, "
        "content_class, channel, generation, domain_id, payload, idempotency_key, trace_context, "
        "available_at, quiet) values (gen_random_uuid(), 'order.placed', 1, now(), 'shop', null, "
        "'standard', 'outbox_gen_1', 1, null, :payload, gen_random_uuid()::text, null, now(), " +
        std::string(quiet ? "true" : "false") + ");\n";
    const auto transaction = "begin;\n" + insert + "commit;\n";
    return one_trip ? "\\startpipeline\n" + transaction + "\\endpipeline\n" : transaction;
}

class script_file
{
public:
    explicit script_file(const std::string& text)
        : path_(std::filesystem::temp_directory_path() /
                ("cuebox_bench_" + std::to_string(getpid()) + ".sql"))
    {
        std::ofstream file{path_};
        file << text;
        if (!file.flush())
            throw std::runtime_error("cannot write " + path_.string());
    }
    ~script_file() { std::filesystem::remove(path_); }
    script_file(const script_file&) = delete;
    script_file& operator=(const script_file&) = delete;

    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

double number_after(const std::string& text, const std::string& label)
{
    const auto at = text.find(label);
    if (at == std::string::npos)
        throw std::runtime_error("pgbench printed no \"" + label + "\": " + text);
    return std::strtod(text.c_str() + at + label.size(), nullptr);
}

sample run(std::size_t producers, bool quiet, bool one_trip, std::uint64_t messages)
{
    auto& database = the_database();
    database.clear();
    const listener listener{database.options(), "outbox_gen_1"};
    const script_file file{script(quiet, one_trip)};
    const auto each = std::max<std::uint64_t>(1, messages / producers);
    const auto printed = run_child({"pgbench", "--no-vacuum", "--protocol=prepared", "--jobs=1",
                                    "--client=" + std::to_string(producers),
                                    "--transactions=" + std::to_string(each),
                                    "--define=payload=" + order_json(), "--file=" + file.path()},
                                   database.variables());

    const auto done = each * producers;
    if (database.rows() != done)
        throw std::runtime_error("pgbench left " + std::to_string(database.rows()) +
                                 " rows instead of " + std::to_string(done));
    const std::chrono::duration<double> elapsed{static_cast<double>(done) /
                                                number_after(printed, "tps = ")};
    return {.elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed),
            .messages = done};
}

}

bench_case pgbench_case(std::size_t producers, bool quiet, bool one_trip, std::uint64_t messages)
{
    std::string note;
    if (producers == 1)
        note = one_trip ? "the same in a pipeline: one round trip"
                        : "-M prepared: BEGIN, INSERT and COMMIT in three round trips; ids made by "
                          "the server";
    if (producers == 1 && quiet)
        note += "; quiet rows, and nobody woken";
    return {quiet ? publish::quiet(producers) : loud(producers),
            one_trip ? systems::pgbench_one_trip : systems::pgbench, messages,
            [=](std::uint64_t count) { return run(producers, quiet, one_trip, count); },
            std::move(note)};
}

}

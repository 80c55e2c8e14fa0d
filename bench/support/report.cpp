#include "report.hpp"

#include "machine.hpp"

#include <tao/json.hpp>

#include <algorithm>
#include <ostream>

namespace bench {
namespace {

tao::json::value json_of(const spread& figure)
{
    return {{"median", figure.median}, {"min", figure.min}, {"max", figure.max}};
}

tao::json::value json_of(const result& row)
{
    tao::json::value samples = tao::json::empty_array;
    for (const auto& each : row.samples)
        samples.push_back({{"elapsed_ns", each.elapsed.count()},
                           {"messages", each.messages},
                           {"allocations", each.allocations}});
    return {{"workload", row.measured.workload},
            {"system", row.measured.system},
            {"note", row.measured.note},
            {"million_messages_per_second", json_of(row.million_per_second())},
            {"nanoseconds_per_message", json_of(row.nanoseconds_per_message())},
            {"allocations_per_message", json_of(row.allocations_per_message())},
            {"samples", samples}};
}

std::vector<std::string> distinct(const results& all, std::string bench_case::* field)
{
    std::vector<std::string> names;
    for (const auto& row : all)
        if (std::ranges::find(names, row.measured.*field) == names.end())
            names.push_back(row.measured.*field);
    return names;
}

}

void write_json(std::ostream& out, const std::string& bench, const options& options,
                const results& all, const std::vector<goal>& goals)
{
    const auto where = this_machine();
    tao::json::value rows = tao::json::empty_array;
    for (const auto& row : all)
        rows.push_back(json_of(row));
    tao::json::value judged = tao::json::empty_array;
    for (const auto& each : goals)
        judged.push_back(
            {{"goal", each.text}, {"verdict", name_of(each.reached)}, {"figure", each.figure}});

    const tao::json::value document = {
        {"bench", bench},
        {"quick", options.quick},
        {"repeat", options.repeat},
        {"machine",
         {{"processor", where.processor}, {"cores", where.cores}, {"compiler", where.compiler}}},
        {"results", rows},
        {"goals", judged}};
    tao::json::to_stream(out, document, 2);
    out << '\n';
}

void write_data(std::ostream& out, const options& options, const results& all)
{
    const auto where = this_machine();
    const auto systems = distinct(all, &bench_case::system);

    out << "# " << where.processor << ", " << where.cores << " cores, " << where.compiler
        << ", median of " << options.repeat << (options.quick ? " quick runs" : " runs") << '\n';
    out << "workload";
    for (const auto& system : systems)
        out << ' ' << system;
    out << '\n';
    for (const auto& workload : distinct(all, &bench_case::workload)) {
        out << workload;
        for (const auto& system : systems) {
            const auto* row = find(all, workload, system);
            out << ' ' << (row ? std::to_string(row->million_per_second().median) : "NaN");
        }
        out << '\n';
    }
}

}

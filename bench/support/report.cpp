#include "report.hpp"

#include "machine.hpp"

#include <tao/json.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace bench {
namespace {

tao::json::value json_of(const spread& figure)
{
    if (std::isnan(figure.median))
        return tao::json::null;
    return {{"median", figure.median}, {"min", figure.min}, {"max", figure.max}};
}

tao::json::value json_of(const result& row)
{
    tao::json::value samples = tao::json::empty_array;
    for (const auto& each : row.samples) {
        tao::json::value sample = {{"elapsed_ns", each.elapsed.count()},
                                   {"messages", each.messages}};
        if (each.allocations)
            sample["allocations"] = *each.allocations;
        samples.push_back(std::move(sample));
    }
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

void write_json(std::ostream& out, const suite& suite, const options& options, const results& all,
                const std::vector<goal>& goals)
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
        {"bench", suite.name()},
        {"quick", options.quick},
        {"repeat", options.repeat},
        {"machine",
         {{"processor", where.processor}, {"cores", where.cores}, {"compiler", where.compiler}}},
        {"surroundings", suite.surroundings()},
        {"results", rows},
        {"goals", judged}};
    tao::json::to_stream(out, document, 2);
    out << '\n';
}

void write_data(std::ostream& out, const suite& suite, const options& options, const results& all)
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
            out << ' '
                << (row ? std::to_string(row->million_per_second().median * 1e6 /
                                         suite.rates().per_second)
                        : "NaN");
        }
        out << '\n';
    }
}

}

#include "goals.hpp"

#include "cases.hpp"

#include <algorithm>
#include <cstdio>

namespace bench::publish {
namespace {

// A figure of one workload, and how it is called.
struct figure
{
    std::string name;
    std::optional<double> value;
};

// Met only if every figure was taken and is good enough; one that is not is enough to miss it.
goal judge_all(std::string text, const std::vector<figure>& figures, double at_least)
{
    goal judged{.text = std::move(text), .reached = verdict::met, .figure = ""};
    for (const auto& [name, value] : figures) {
        if (!value) {
            if (judged.reached == verdict::met)
                judged.reached = verdict::not_measured;
            continue;
        }
        if (*value < at_least)
            judged.reached = verdict::missed;
        char printed[32];
        std::snprintf(printed, sizeof printed, " %.2fx", *value);
        judged.figure += (judged.figure.empty() ? "" : ", ") + name + printed;
    }
    return judged;
}

goal judge_singles(const results& all, std::string text, const char* system, const char* peer)
{
    constexpr double at_least = 0.95;
    std::vector<figure> figures;
    for (const auto count : {1, 2, 8})
        for (const auto& workload :
             {loud(static_cast<std::size_t>(count)), quiet(static_cast<std::size_t>(count))})
            figures.push_back({workload, ratio(all, workload, system, peer)});
    return judge_all(std::move(text), figures, at_least);
}

goal judge_quiet(const results& all)
{
    constexpr double at_least = 0.9;
    std::vector<figure> figures;
    for (const std::size_t count : {8, 32})
        figures.push_back(
            {quiet(count), ratio(all, quiet(count), systems::cuebox, systems::unwoken)});
    return judge_all("waking costs at most a tenth", figures, at_least);
}

goal judge_bulk(const results& all, std::string text, const char* system)
{
    constexpr double at_least = 3;
    std::vector<figure> figures;
    for (const auto count : bulk_connections) {
        const auto workload = bulk(count);
        const auto first = ratio(all, workload, system, systems::graphile);
        const auto second = ratio(all, workload, system, systems::pg_boss);
        figures.push_back(
            {workload, first && second ? std::optional(std::min(*first, *second)) : std::nullopt});
    }
    return judge_all(std::move(text), figures, at_least);
}

}

std::vector<goal> judge(const results& all)
{
    using namespace systems;
    return {judge_singles(all, "single rows 0.95x pgbench", cuebox, pgbench),
            judge_singles(all, "in one round trip 0.95x pgbench's pipeline", cuebox_one_trip,
                          pgbench_one_trip),
            judge_quiet(all),
            judge_bulk(all, "1,000 to a statement 3x the faster peer", cuebox),
            judge_bulk(all, "1,000 to a COPY 3x the faster peer", copy),
            judge_bulk(all, "10,000 to a COPY 3x the faster peer", copy_large)};
}

}

#include "goals.hpp"

#include "workloads.hpp"

#include <algorithm>
#include <cstdio>

namespace bench::mailbox {
namespace {

using workload_names = std::vector<const char*>;

const workload_names all_rows{workloads::ping_pong, workloads::one_thread, workloads::two_threads,
                              workloads::spawn_stop, workloads::ask};
const workload_names throughput_rows{workloads::ping_pong, workloads::one_thread,
                                     workloads::two_threads};
// Spawning allocates an actor by definition; in the other rows actors exist before the first
// message.
const workload_names steady_rows{workloads::ping_pong, workloads::one_thread,
                                 workloads::two_threads, workloads::ask};

std::string figure_of(const char* workload, const char* pattern, double value)
{
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return std::string{workload} + ' ' + text;
}

// Met only if every row was measured and is good enough: a row left out proves nothing, but a bad
// row is enough to miss the goal.
template <class Figure, class Good>
goal judge_rows(std::string text, const workload_names& rows, const char* pattern, Figure figure,
                Good good)
{
    goal judged{.text = std::move(text), .reached = verdict::met, .figure = ""};
    for (const auto* workload : rows) {
        const std::optional<double> value = figure(workload);
        if (value && !good(*value))
            judged.reached = verdict::missed;
        if (!value && judged.reached == verdict::met)
            judged.reached = verdict::not_measured;
        if (value)
            judged.figure +=
                (judged.figure.empty() ? "" : ", ") + figure_of(workload, pattern, *value);
    }
    return judged;
}

goal judge_lead(const results& all, std::string text, const workload_names& rows, const char* peer,
                double at_least)
{
    return judge_rows(
        std::move(text), rows, "%.2fx",
        [&](const char* workload) { return ratio(all, workload, systems::cuebox, peer); },
        [=](double lead) { return lead >= at_least; });
}

goal judge_allocations(const results& all)
{
    // A run allocates a few times as it starts; that vanishes against its messages, while even one
    // allocation in a thousand messages does not.
    constexpr double none = 0.0005;
    return judge_rows(
        "no allocation per message in steady state", steady_rows, "%.4f",
        [&](const char* workload) -> std::optional<double> {
            const auto* row = find(all, workload, systems::cuebox);
            if (row == nullptr)
                return std::nullopt;
            return row->allocations_per_message().max;
        },
        [](double allocations) { return allocations < none; });
}

}

std::vector<goal> judge(const results& all)
{
    using namespace systems;
    return {judge_lead(all, "ahead of CAF on every row", all_rows, caf, 1),
            judge_lead(all, "3x CAF on one thread", {workloads::one_thread}, caf, 3),
            judge_lead(all, "2x CAF across two threads", {workloads::two_threads}, caf, 2),
            judge_lead(all, "5x Asio's channel on every throughput row", throughput_rows,
                       asio_channel, 5),
            judge_lead(all, "ahead of the channel tuned by hand",
                       {workloads::one_thread, workloads::two_threads}, channel_by_hand, 1),
            judge_allocations(all)};
}

}

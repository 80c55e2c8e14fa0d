#include "runner.hpp"

#include "progress.hpp"

#include <algorithm>
#include <stdexcept>

namespace bench {
namespace {

results chosen_cases(const suite& suite, const options& options)
{
    results chosen;
    for (const auto& workload : suite.workloads()) {
        if (!options.only.empty() &&
            std::ranges::find(options.only, workload) == options.only.end())
            continue;
        for (const auto& each : suite.cases())
            if (each.workload == workload)
                chosen.push_back({.measured = each, .samples = {}});
    }
    return chosen;
}

// Within a workload the systems take turns at going first, so none always runs after the same peer,
// on the caches and the heap that one left behind.
std::vector<std::size_t> order_of_round(const results& cases, int round)
{
    std::vector<std::size_t> order;
    for (std::size_t begin = 0, end = 0; begin < cases.size(); begin = end) {
        while (end < cases.size() && cases[end].measured.workload == cases[begin].measured.workload)
            ++end;
        for (std::size_t i = 0; i < end - begin; ++i)
            order.push_back(begin + (i + static_cast<std::size_t>(round)) % (end - begin));
    }
    return order;
}

sample run_once(const bench_case& measured, std::uint64_t messages)
{
    try {
        return measured.run(messages);
    }
    catch (const std::exception& error) {
        throw std::runtime_error(measured.workload + " on " + measured.system + ": " +
                                 error.what());
    }
}

}

results run(const suite& suite, const options& options)
{
    constexpr std::uint64_t short_run = 10; // quick and warm-up runs send this fraction

    auto all = chosen_cases(suite, options);
    progress progress{options.repeat, all.size(), suite.rates()};
    for (int round = 0; round <= options.repeat; ++round) {
        const bool warm_up = round == 0;
        for (const auto index : order_of_round(all, round)) {
            auto& [measured, samples] = all[index];
            const auto messages = measured.messages / (warm_up || options.quick ? short_run : 1);
            progress.begin(round, measured);
            const auto taken = run_once(measured, messages);
            progress.end(taken);
            if (!warm_up)
                samples.push_back(taken);
        }
    }
    return all;
}

}

#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>

namespace bench {

options parse_options(const suite& suite, int argc, char** argv)
{
    constexpr int quick_repeat = 3;
    constexpr int repeat_max = 1000;

    options chosen;
    CLI::App app{"Compares systems on the workloads of " + suite.name() +
                 ", interleaved so that machine noise hits all of them alike."};
    auto* repeat = app.add_option("--repeat", chosen.repeat, "measured repetitions of every case")
                       ->check(CLI::Range(1, repeat_max))
                       ->capture_default_str();
    app.add_flag("--quick", chosen.quick, "a tenth of the messages and three repetitions");
    app.add_option("--only", chosen.only, "run this workload alone; may be repeated")
        ->check(CLI::IsMember(suite.workloads()))
        ->allow_extra_args(false);
    // bench/run names these files first, so a path given by hand comes later and wins.
    app.add_option("--json", chosen.json_path, "write results as JSON to this file, - for stdout")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.add_option("--data", chosen.data_path, "write medians for gnuplot to this file")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);

    try {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& error) {
        std::exit(app.exit(error));
    }
    if (chosen.quick && repeat->count() == 0)
        chosen.repeat = quick_repeat;
    return chosen;
}

}

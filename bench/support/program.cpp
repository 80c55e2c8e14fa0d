#include "program.hpp"

#include "report.hpp"
#include "runner.hpp"
#include "table.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace bench {
namespace {

template <class Write>
void write_file(const std::string& path, Write write)
{
    std::ofstream file{path};
    write(file);
    file.close();
    if (!file)
        throw std::runtime_error("cannot write " + path);
}

}

int run_program(const suite& suite, std::string_view home, judge_function judge, int argc,
                char** argv)
{
    const auto options = parse_options(suite, argc, argv);
    try {
        const auto all = run(suite, options);
        const auto goals = judge(all);

        const bool json_on_stdout = options.json_path == "-";
        auto& people = json_on_stdout ? std::cerr : std::cout;
        print_table(people, suite, all, home);
        print_goals(people, goals);

        const auto json = [&](std::ostream& out) { write_json(out, suite, options, all, goals); };
        if (json_on_stdout)
            json(std::cout);
        else if (!options.json_path.empty())
            write_file(options.json_path, json);
        if (!options.data_path.empty())
            write_file(options.data_path,
                       [&](std::ostream& out) { write_data(out, suite, options, all); });
        return EXIT_SUCCESS;
    }
    catch (const std::exception& error) {
        std::cerr << suite.name() << ": " << error.what() << '\n';
        return EXIT_FAILURE;
    }
}

}

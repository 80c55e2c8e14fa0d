// bench_outbox SYSTEM VERB JSON: cuebox or bare, prepare or work; see README.md beside it.

#include "prepare.hpp"
#include "workloads.hpp"

#include <cuebox/config/parse.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string_view>

namespace {

using namespace bench::outbox;

using workload = void (*)(const task&);

workload find(std::string_view system, std::string_view name)
{
    struct entry
    {
        std::string_view system;
        std::string_view name;
        workload run;
    };
    constexpr entry all[] = {
        {"cuebox", "drain", drain},    {"cuebox", "burst", burst},
        {"cuebox", "flow", flow},      {"cuebox", "latency", measure_latency},
        {"bare", "drain", drain_bare}, {"bare", "latency", measure_bare_latency}};
    for (const entry& each : all)
        if (each.system == system && each.name == name)
            return each.run;
    throw std::invalid_argument("no workload '" + std::string(name) + "' of system '" +
                                std::string(system) +
                                "': cuebox has drain, burst, flow and latency, bare drain and "
                                "latency");
}

}

int main(int argc, char** argv)
try {
    if (argc != 4)
        throw std::invalid_argument("usage: bench_outbox cuebox|bare prepare|work JSON");
    const std::string_view verb = argv[2];
    const auto wanted = cuebox::config::read<task>(cuebox::config::parse(argv[3], "task"));
    if (verb == "prepare")
        prepare(wanted);
    else if (verb == "work")
        find(argv[1], wanted.workload)(wanted);
    else
        throw std::invalid_argument("no verb '" + std::string(verb) + "': take prepare or work");
    return 0;
}
catch (const std::exception& error) {
    std::cerr << "bench_outbox: " << error.what() << '\n';
    return 2;
}

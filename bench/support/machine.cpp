#include "machine.hpp"

#include <fstream>
#include <thread>

namespace bench {
namespace {

std::string processor_name()
{
    std::ifstream info{"/proc/cpuinfo"};
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(": "); colon != std::string::npos)
                return line.substr(colon + 2);
    return "unknown processor";
}

std::string compiler_name()
{
#if defined(__clang__)
    return "Clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__);
#else
    return "GCC " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__);
#endif
}

}

machine this_machine()
{
    return {.processor = processor_name(),
            .cores = std::thread::hardware_concurrency(),
            .compiler = compiler_name()};
}

}

#include <cuebox/telemetry/process.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>

namespace cuebox::telemetry {

namespace {

// Field `number` of /proc/self/stat, counted from 1 as in proc(5). The second is the program's
// name, in parentheses, and may hold anything.
std::optional<double> stat_field(int number)
{
    std::ifstream file("/proc/self/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto end_of_name = text.rfind(')');
    if (end_of_name == std::string::npos)
        return std::nullopt;
    std::istringstream rest(text.substr(end_of_name + 2));
    std::string word;
    for (int at = 3; at <= number; ++at)
        if (!(rest >> word))
            return std::nullopt;
    return std::stod(word);
}

// When the machine was started, in seconds since 1970.
std::optional<double> boot_time()
{
    std::ifstream file("/proc/stat");
    std::string word;
    while (file >> word)
        if (double at = 0; word == "btime" && file >> at)
            return at;
    return std::nullopt;
}

std::optional<double> open_files()
{
    std::error_code failed;
    const std::filesystem::directory_iterator all("/proc/self/fd", failed);
    if (failed)
        return std::nullopt;
    return static_cast<double>(std::distance(begin(all), end(all)));
}

}

void print_process(exposition& out)
{
    const auto put = [&out](std::string_view name, exposition::type type, std::string_view help,
                            std::optional<double> value) {
        if (!value)
            return;
        out.family(name, type, help);
        out.sample({}, *value);
    };
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    const auto user = stat_field(14);
    const auto system = stat_field(15);
    const auto started = stat_field(22);
    const auto pages = stat_field(24);
    const auto booted = boot_time();
    if (user && system)
        put("process_cpu_seconds_total", exposition::type::counter,
            "Processor time, user and system", (*user + *system) / ticks);
    if (pages)
        put("process_resident_memory_bytes", exposition::type::gauge, "Memory in use",
            *pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
    if (started && booted)
        put("process_start_time_seconds", exposition::type::gauge,
            "When the process started, since 1970", *booted + *started / ticks);
    put("process_open_fds", exposition::type::gauge, "Open file descriptors", open_files());
}

}

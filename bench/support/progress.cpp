#include "progress.hpp"

#include <cstdio>
#include <unistd.h>

namespace bench {

progress::progress(int repeat, std::size_t cases, unit rates)
    : repeat_(repeat),
      total_((static_cast<std::size_t>(repeat) + 1) * cases),
      rates_(std::move(rates)),
      live_(isatty(STDERR_FILENO) == 1)
{}

progress::~progress()
{
    if (live_)
        std::fputs("\r\033[K", stderr);
}

void progress::begin(int round, const bench_case& measured)
{
    char text[128];
    const auto width = static_cast<int>(std::to_string(total_).size());
    const auto phase = round == 0 ? std::string{"warm-up"}
                                  : std::to_string(round) + " of " + std::to_string(repeat_);
    std::snprintf(text, sizeof text, "[%*zu/%zu] %-8s %-12s %-14s", width, ++done_, total_,
                  phase.c_str(), measured.workload.c_str(), measured.system.c_str());
    line_ = text;
    if (live_)
        std::fprintf(stderr, "\r\033[K%s", line_.c_str());
}

void progress::end(const sample& taken)
{
    if (!live_)
        std::fprintf(stderr, "%s %9.3f %s in %.2f s\n", line_.c_str(),
                     taken.million_per_second() * 1e6 / rates_.per_second, rates_.name.c_str(),
                     static_cast<double>(taken.elapsed.count()) / 1e9);
}

}

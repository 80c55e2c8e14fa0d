#include <cuebox/event/timestamp.hpp>
#include <cuebox/telemetry/log_line.hpp>
#include <cuebox/telemetry/stderr_log.hpp>

#include <cstdio>

namespace cuebox::telemetry {

logger stderr_log(level at_least)
{
    const auto write = [](const line& line) {
        const std::string text = print_text(line, event::now()) + "\n";
        // In one call, so that lines of several threads do not mix.
        (void)std::fwrite(text.data(), 1, text.size(), stderr);
    };
    return logger(write, at_least);
}

}

#pragma once

#include <cuebox/telemetry/log.hpp>

#include <chrono>
#include <string>

namespace cuebox::telemetry {

// Who writes the lines: the fields that all of them carry.
struct origin
{
    std::string service = "cuebox";
    std::string environment{};
    std::string version{};
};

using moment = std::chrono::sys_time<std::chrono::microseconds>;

// {"timestamp":"2026-11-16T03:44:05.123456Z","level":"info","service":…,"message":…, …}
std::string print_json(const line& line, const origin& from, moment at);

// 03:44:05.123 info    message  key=value  key="two words"; fields with an empty text are left out.
std::string print_text(const line& line, moment at);

}

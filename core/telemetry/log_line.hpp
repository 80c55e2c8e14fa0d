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

// {"timestamp":"2026-11-16T03:44:05.123456Z","level":"info","service":…,"environment":…,
// "version":…,"trace_id":…,"span_id":…,"message":…, …}: strict JSON, whatever the texts hold, with
// these keys in every line and no key twice. A field that is called timestamp, level or message
// gets an underscore; of two fields with one name the later one counts.
std::string print_json(const line& line, const origin& from, moment at);

// 2026-11-16 03:44:05.123Z info    message  key=value  key="two words": one line, whatever the
// texts hold; fields with an empty text are left out.
std::string print_text(const line& line, moment at);

}

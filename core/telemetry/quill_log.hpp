#pragma once

#include <cuebox/telemetry/log_line.hpp>

#include <string>

namespace cuebox::telemetry {

struct log_options
{
    // One JSON object a line, or text for people.
    bool json = false;
    // A file to append to; empty is stderr.
    std::string file{};
    origin from{};
};

// A sink that hands lines to a thread of its own: whoever logs does not wait for a disk or a
// terminal. What was logged is written when the program ends.
sink make_log(log_options options);

// Waits until everything logged so far is written.
void flush_log();

}

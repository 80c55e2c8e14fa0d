#pragma once

#include <cuebox/handlers/agent_tasks/executor.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::agent_tasks {

struct program_options
{
    // The program and its arguments; no shell is in between.
    std::vector<std::string> command{};
    // Added to the worker's own environment.
    std::map<std::string, std::string> environment{};
};

// An executor that is a program. It gets the task as a line of JSON on its stdin and answers on its
// stdout, as parse_answer has it. Exit 64 and 65 (usage, data error) are terminal failures, any
// other but 0 is tried again, both with the end of its stderr.
executor make_program(program_options options);

// One JSON object with one of these, and perhaps a "conversation_id":
//
//     {"result": …}
//     {"needs_approval": …}
//     {"error": "why", "retry": true}      without "retry": for good
//
// Throws std::runtime_error, which has the task tried again, for anything else.
outcome parse_answer(const std::string& program, std::string_view text);

}

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace cuebox::embedded {

// How long the file is now; 0 when there is none.
std::uintmax_t log_end(const std::filesystem::path& log);

// What was written since, at most the last 64 KiB of it.
std::string log_since(const std::filesystem::path& log, std::uintmax_t start);

// The last lines of a text, indented for use below a message.
std::string last_lines(const std::string& text, int count = 12);

}

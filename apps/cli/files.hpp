#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cuebox::cli {

// The whole of a file, or of stdin for "-". None when there is no such file; a file that is there
// and cannot be read is a failure.
std::optional<std::string> read_file(const std::filesystem::path& path);

// All or nothing: readers see the file as it was or as it is now.
void write_file(const std::filesystem::path& path, std::string_view text);

}

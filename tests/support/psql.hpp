#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cuebox::test {

// Runs SQL through psql, so that a test sees the database with other eyes than the code under test.
// Returns the rows, a line each, columns separated by '|'. Throws what psql says of an error.
std::string psql(const std::string& conninfo, std::string_view sql);

std::filesystem::path find_psql();

}

#pragma once

#include <cuebox/pg/error.hpp>

#include <string>

namespace cuebox::cli {

// What the database has refused to a command, such as "dlq list". When the login lacks a right,
// that is which role has it, for which the database is asked once more; `given` is what the command
// got as --database.
std::string in_words(const pg::error& refused, const std::string& command,
                     const std::string& given);

}

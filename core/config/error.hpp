#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cuebox::config {

// What is wrong with a config and where, in words meant for the person who wrote it.
class error : public std::runtime_error
{
public:
    // A value that reads well but is refused: "app.jaxn: /children/1/restart: expected string".
    error(std::string_view source, std::string path, std::string_view why);

    // A text that does not read at all: "app.jaxn:3:14: expected ':'". It has no path.
    error(std::string_view source, std::size_t line, std::size_t column, std::string_view why);

    // JSON pointer to the refused value; empty for the root and for syntax errors.
    const std::string& path() const noexcept { return path_; }
    // What is wrong, without where.
    const std::string& why() const noexcept { return why_; }

private:
    std::string path_;
    std::string why_;
};

}

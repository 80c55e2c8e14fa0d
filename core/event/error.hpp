#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cuebox::event {

// A payload that cannot be written or read: "/items/3/price: expected number, got string". Trying
// again does not help, so a handler that meets one fails for good.
class payload_error : public std::runtime_error
{
public:
    payload_error(std::string path, std::string_view why);

    // JSON pointer to the refused value; empty for the payload as a whole.
    const std::string& path() const noexcept { return path_; }
    // What is wrong, without where.
    const std::string& why() const noexcept { return why_; }

private:
    std::string path_;
    std::string why_;
};

// An envelope that says something no envelope may: "source: empty; name the producing context".
class envelope_error : public std::runtime_error
{
public:
    envelope_error(std::string_view field, std::string_view why);

    const std::string& field() const noexcept { return field_; }

private:
    std::string field_;
};

}

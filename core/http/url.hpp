#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuebox::http {

// Where a request goes.
struct url
{
    bool tls = false;
    std::string host{};
    std::string port{};
    std::string target{}; // Path and query.

    // For the Host header: with the port where it is not the scheme's own.
    std::string authority() const;
    bool loopback() const;
};

// http:// and https:// with a host, nothing else; no user and password, which belong in a header.
std::optional<url> parse_url(std::string_view text);

}

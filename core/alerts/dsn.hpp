#pragma once

#include <cuebox/http/url.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace cuebox::alerts {

// A Sentry project and the key to write to it: https://KEY@host[:port]/[path/]PROJECT. The key is a
// secret: print() is for Sentry itself, everybody else gets describe().
struct dsn
{
    // Where envelopes are posted.
    http::url envelopes{};
    // Before /api, such as "/sentry"; mostly empty.
    std::string prefix{};
    std::string project{};
    std::string key{};

    std::string print() const;
    // Without the key.
    std::string describe() const;
};

// What is wrong with a text that should be a DSN. Quotes nothing of it.
class dsn_error : public std::runtime_error
{
public:
    using runtime_error::runtime_error;
};

// Alerts travel in the open only to this machine, unless that is allowed. An old secret key after a
// colon is dropped: Sentry no longer asks for it.
dsn parse_dsn(std::string_view text, bool allow_plain_http = false);

}

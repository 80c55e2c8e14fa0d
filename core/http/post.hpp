#pragma once

#include <cuebox/http/header.hpp>
#include <cuebox/http/url.hpp>
#include <cuebox/runtime/awaitable.hpp>
#include <cuebox/runtime/clock.hpp>

#include <memory>
#include <string>

namespace cuebox::http {

// Where posts go, with what every one of them carries; keeps the TLS settings.
struct post_target
{
    virtual ~post_target() = default;

    url where{};
    http::headers headers{};
};
std::shared_ptr<const post_target> make_post_target(url where, http::headers headers = {});

struct post_options
{
    std::string content_type = "application/json";
    // From the look-up of the name to the answer. As long as time goes: whoever calls cancels it.
    duration within = duration::max();
};

struct answer
{
    unsigned status = 0;
    http::headers headers{};
};

// Posts on a connection of its own and gives what was answered, without the body; a redirect is an
// answer like any other. Throws http::error when there is none. Cancelled, it closes the
// connection.
awaitable<answer> post(std::shared_ptr<const post_target> target, http::headers headers,
                       std::string body, post_options options = {});

}

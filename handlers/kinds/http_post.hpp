#pragma once

#include "url.hpp"

#include <cuebox/runtime/awaitable.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cuebox::handlers {

using http_headers = std::vector<std::pair<std::string, std::string>>;

// Where posts go, with what every one of them carries; keeps the TLS settings.
struct post_target
{
    virtual ~post_target() = default;

    url where{};
    http_headers headers{};
};
std::shared_ptr<const post_target> make_post_target(url where, http_headers headers);

// Posts JSON on a connection of its own and gives the status. Throws when there is no answer.
// Cancelled, it closes the connection.
awaitable<unsigned> http_post(std::shared_ptr<const post_target> target, http_headers headers,
                              std::string body);

}

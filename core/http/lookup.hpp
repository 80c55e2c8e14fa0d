#pragma once

#include <cuebox/asio/lookup.hpp>
#include <cuebox/runtime/awaitable.hpp>
#include <cuebox/runtime/clock.hpp>

#include <string>

namespace cuebox::http {

using cuebox::detail::look_up;
using cuebox::detail::lookup_result;

// The addresses behind a host; an address stands for itself.
awaitable<lookup_result> resolve(std::string host, time_point until,
                                 cuebox::detail::lookup::function how = look_up);

}

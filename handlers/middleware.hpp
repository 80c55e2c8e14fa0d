#pragma once

#include <cuebox/handling/handler.hpp>

#include <functional>
#include <string_view>
#include <vector>

namespace cuebox {

// The rest of the way to the handler, and the handler itself.
using next_step = std::function<awaitable<void>()>;

// Something to do around every handler: measure, trace, allow, count. It awaits `next` once, and
// sees what that throws; what it throws itself is the handler's failure.
//
//     cuebox::awaitable<void> timing(const cuebox::handling::arrival& event, cuebox::next_step
//     next)
//     {
//         const auto began = std::chrono::steady_clock::now();
//         co_await next();
//         event.log.info("took", {{"us", …}});
//     }
using middleware = std::function<awaitable<void>(const handling::arrival& event, next_step next)>;

// The same handler with these around it, the first one outermost.
handling::handler wrap_handler(handling::handler inner, std::vector<middleware> around);

}

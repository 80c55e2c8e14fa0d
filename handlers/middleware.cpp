#include <cuebox/handlers/middleware.hpp>

namespace cuebox {

namespace {

awaitable<void> through(handling::arrival event, std::vector<middleware> around, next_step last)
{
    // Built from the inside out; every step refers to `event`, which outlives them here.
    next_step next = std::move(last);
    for (auto each = around.rbegin(); each != around.rend(); ++each)
        next = [&event, step = *each, inner = std::move(next)] { return step(event, inner); };
    co_await next();
}

}

handling::handler wrap_handler(handling::handler inner, std::vector<middleware> around)
{
    if (around.empty())
        return inner;
    if (const auto* leased = std::get_if<handling::leased_call>(&inner.call)) {
        inner.call = [call = *leased, around](handling::arrival event) {
            next_step last = [call, event] { return call(event); };
            return through(std::move(event), around, std::move(last));
        };
    }
    else {
        inner.call = [call = std::get<handling::transactional_call>(inner.call),
                      around](handling::arrival event, pg::transaction& work) {
            next_step last = [call, event, &work] { return call(event, work); };
            return through(std::move(event), around, std::move(last));
        };
    }
    return inner;
}

}

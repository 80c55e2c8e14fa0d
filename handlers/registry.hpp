#pragma once

#include <cuebox/handlers/handler.hpp>
#include <cuebox/handlers/middleware.hpp>

#include <map>
#include <vector>

namespace cuebox {

// The handlers of a service, and what goes around them.
//
//     cuebox::registry handlers;
//     handlers.on<order_placed>("billing.invoice", &bill);
//     handlers.on<order_placed>("billing.mail", [&mailer](cuebox::delivery<order_placed> order) {
//         return send_mail(mailer, std::move(order));      // a lambda may return a coroutine
//     });
//     handlers.use(timing);
//     cuebox::context billing{loop, pool, handlers.take(), {.name = "billing"}};
class registry
{
public:
    template <event::typed_payload T, handler_of<T> F>
    registry& on(std::string name, F f, handler_options options = {})
    {
        return add(make_handler<T>(std::move(name), std::move(f), std::move(options)));
    }
    // Of several event types, with the payload as text.
    template <handler_of<raw_payload> F>
    registry& on_any(std::string name, std::vector<std::string> event_types, F f,
                     handler_options options = {})
    {
        return add(make_handler<raw_payload>(std::move(name), std::move(event_types), std::move(f),
                                             std::move(options)));
    }
    registry& add(handling::handler handler);

    // Around every handler, those added before and after; the first one is the outermost.
    registry& use(middleware around);

    // All of them, dressed; or the one of that name, for a config that names it.
    std::vector<handling::handler> take() const;
    std::optional<handling::handler> find(std::string_view name) const;
    std::vector<std::string> names() const;

private:
    std::vector<handling::handler> handlers_;
    std::vector<middleware> around_;
};

}

#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/self.hpp>

namespace cuebox::actors {

// Reads what an operator watches: the notification queue, the backlog, the oldest snapshot.
class gauge
{
public:
    using messages = gauge_messages;
    static constexpr std::string_view kind = "gauge";

    explicit gauge(company_ptr company) : company_(std::move(company)) {}

    awaitable<void> run(self<messages>& me);

private:
    awaitable<void> read();

    company_ptr company_;
    outbox::gauges last_{};
};

}

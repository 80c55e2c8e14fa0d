#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/self.hpp>

namespace cuebox::actors {

// Reads what an operator watches: the notification queue, the backlog, the oldest snapshot. What
// should not be is said when it begins, and when it is over.
class gauge
{
public:
    using messages = gauge_messages;
    static constexpr std::string_view kind = "gauge";

    explicit gauge(company_ptr company) : company_(std::move(company)) {}

    awaitable<void> run(self<messages>& me);

private:
    awaitable<void> read(self<messages>& me);
    void watch_queue();
    void watch_stranded();
    void watch_unrouted();

    company_ptr company_;
    outbox::gauges last_{};
    bool queue_fills_ = false;
    bool stranded_ = false;
    bool unrouted_ = false;
};

}

#include "gauge.hpp"

#include "trouble.hpp"

namespace cuebox::actors {

namespace {

// Of the queue: a listener somewhere in the cluster does not read, and at 1 every NOTIFY fails.
constexpr double queue_alarm = 0.25;

}

awaitable<void> gauge::run(self<messages>& me)
{
    me.every(company_->settings.gauge, tick{});
    co_await read();
    while (auto message = co_await me.receive()) {
        if (auto* asked = std::get_if<request<get_gauges>>(&*message))
            asked->reply(last_);
        else
            co_await read();
    }
}

awaitable<void> gauge::read()
{
    try {
        last_ = co_await company_->relay->read_gauges();
    }
    catch (const std::exception& error) {
        note_trouble(company_->log, "gauge", error);
        co_return;
    }
    if (last_.notify_queue_usage >= queue_alarm)
        company_->log.warning("the notification queue fills up: some listener does not read",
                              {{"usage", last_.notify_queue_usage}});
}

}

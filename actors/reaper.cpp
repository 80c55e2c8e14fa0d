#include "reaper.hpp"

#include "report_run.hpp"
#include "trouble.hpp"

#include <cuebox/event/encode.hpp>

#include <algorithm>
#include <map>

namespace cuebox::actors {

namespace {

// A look at expired leases passes over the whole backlog, so it is made seldom: often enough for a
// lease to be overdue by a fifth of its length at most.
constexpr int looks_per_lease = 5;

// Nor is it the first thing to do for a process that starts: that has the backlog to work off.
constexpr std::size_t ticks_before_first_look = 9;

constexpr std::chrono::hours recheck_every{1};

std::string type_limits(const handling::handler_set& handlers)
{
    std::map<std::string, int> limits;
    for (const auto& each : handlers.all())
        for (const std::string& type : each->event_types)
            limits[type] = std::max(limits[type], each->retry.max_retries);
    return event::encode(limits);
}

}

reaper::reaper(company_ptr company) : company_(std::move(company))
{
    const settings& rules = company_->settings;
    request_.lease = rules.lease;
    const auto step = std::max(rules.reap, std::chrono::milliseconds(1));
    expired_every_ =
        static_cast<std::size_t>(std::max<std::int64_t>(1, rules.lease / looks_per_lease / step));
    first_look_ = std::min(ticks_before_first_look, expired_every_ - 1);
}

awaitable<void> reaper::run(self<messages>& me)
{
    me.every(company_->settings.reap, tick{});
    me.every(recheck_every, recheck_due{});
    while (auto message = co_await me.receive()) {
        if (std::holds_alternative<recheck_due>(*message)) {
            co_await recheck();
            continue;
        }
        // After an outage everybody looks dead until they are back, which takes up to the cap of
        // their backoff.
        if (me.now() < not_before_)
            continue;
        request_.expired = ticks_++ % expired_every_ == first_look_;
        request_.max_retries = company_->handlers->max_retries();
        request_.type_limits = type_limits(*company_->handlers);
        try {
            const auto rows = co_await company_->relay->reap(request_);
            for (const outbox::reaped_row& each : rows)
                report_reaped(*company_, each);
            if (!rows.empty())
                (void)company_->claimer.try_send(wake{});
        }
        catch (const std::exception& error) {
            note_trouble(company_->log, *company_->trouble, "reaper", error);
            not_before_ = me.now() + company_->settings.reconnect.cap + request_.grace;
        }
    }
}

// The safety net under the floor: rows that no rule could see.
awaitable<void> reaper::recheck()
{
    try {
        const std::int64_t found = co_await company_->relay->recheck();
        if (found > 0) {
            company_->log.warning("found rows below the floor", {{"rows", found}});
            (void)company_->claimer.try_send(wake{});
        }
    }
    catch (const std::exception& error) {
        note_trouble(company_->log, *company_->trouble, "reaper", error);
    }
}

}

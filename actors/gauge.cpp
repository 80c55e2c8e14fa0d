#include "gauge.hpp"

#include "trouble.hpp"

#include <algorithm>
#include <utility>

namespace cuebox::actors {

namespace {

// Of the queue: a listener somewhere in the cluster does not read, and at 1 every NOTIFY fails.
constexpr double queue_alarm = 0.25;

// A count passes over the whole backlog, and a process that starts has that to work off first.
constexpr std::chrono::seconds first_look{5};

template <class Group>
std::int64_t events_of(const std::vector<Group>& groups)
{
    std::int64_t sum = 0;
    for (const Group& each : groups)
        sum += each.events;
    return sum;
}

}

awaitable<void> gauge::run(self<messages>& me)
{
    me.every(company_->settings.gauge, tick{});
    me.after(std::min<duration>(company_->settings.gauge, first_look), tick{});
    while (auto message = co_await me.receive())
        co_await read(me);
}

awaitable<void> gauge::read(self<messages>& me)
{
    try {
        last_ = co_await company_->relay->read_gauges(company_->settings.gauge);
    }
    catch (const std::exception& error) {
        note_trouble(company_->log, *company_->trouble, "gauge", error);
        co_return;
    }
    company_->vitals->note_reading(last_, me.now());
    watch_queue();
    // Without a count there is nothing to say either way.
    if (!last_.counting.counted)
        co_return;
    watch_stranded();
    watch_unrouted();
}

void gauge::watch_queue()
{
    const double usage = last_.notify_queue_usage;
    const bool before = std::exchange(queue_fills_, usage >= queue_alarm);
    if (queue_fills_ && !before)
        company_->log.warning("the notification queue fills up: some listener does not read",
                              {{"usage", usage}});
    else if (before && !queue_fills_)
        company_->log.info("the notification queue has room again", {{"usage", usage}});
}

void gauge::watch_stranded()
{
    const bool before = std::exchange(stranded_, !last_.stranded.empty());
    if (stranded_ && !before)
        company_->log.warning("events are left in a generation that is on its way out: drain it",
                              {{"generation", last_.stranded.front().generation},
                               {"deployment", last_.stranded.front().deployment},
                               {"generations", last_.stranded.size()},
                               {"events", events_of(last_.stranded)}});
    else if (before && !stranded_)
        company_->log.info("no events are left in generations that are on their way out");
}

void gauge::watch_unrouted()
{
    const bool before = std::exchange(unrouted_, !last_.unrouted.empty());
    if (unrouted_ && !before)
        company_->log.warning("events wait that nobody listens for",
                              {{"event_type", last_.unrouted.front().event_type},
                               {"generation", last_.unrouted.front().generation},
                               {"events", events_of(last_.unrouted)}});
    else if (before && !unrouted_)
        company_->log.info("somebody listens for every event that waits");
}

}

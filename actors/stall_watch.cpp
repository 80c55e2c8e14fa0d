#include "stall_watch.hpp"

#include <cuebox/asio/blocking_threads.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/telemetry/trace_fields.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <optional>

namespace cuebox::actors {

namespace {

constexpr std::chrono::seconds vouch_at_least_every{5};

// Never destroyed: a thread may still wait for a database that does not answer.
detail::blocking_threads& vouching_threads()
{
    static auto& threads = *new detail::blocking_threads({.threads = 4, .waiting = 256});
    return threads;
}

telemetry::logger named(const telemetry::logger& log, const std::optional<handling_now>& by)
{
    if (!by)
        return log;
    const auto trace =
        by->trace_context ? event::parse_traceparent(*by->trace_context) : std::nullopt;
    return telemetry::with_trace(log, trace)
        .with({{"handler_name", by->handler},
               {"event_id", event::print_uuid(by->event_id)},
               {"event_type", by->event_type}});
}

std::int64_t milliseconds(duration time)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

}

stall_course::step stall_course::at(duration lasted)
{
    step now{.say = lasted >= say_at_, .vouch = lasted >= vouch_at_ && lasted <= lease_};
    if (now.say)
        say_at_ = 2 * lasted;
    if (now.vouch)
        vouch_at_ = lasted + std::min<duration>(vouch_at_least_every, lease_ / 3);
    return now;
}

struct stall_watch::state : std::enable_shared_from_this<state>
{
    state(company_ptr company_, std::function<bool()> has_ended_)
        : company(std::move(company_)),
          has_ended(std::move(has_ended_))
    {}

    // On the watchdog's thread.
    void told(const stall& what)
    {
        if (has_ended()) // Then nobody need run its executor any more.
            return;
        if (what.over) {
            company->vitals->note_stall(std::nullopt);
            named(company->log, by)
                .warning("the thread turns again", {{"stood_still_ms", milliseconds(what.lasted)}});
            course.reset();
            return;
        }
        if (!course) {
            course.emplace(company->settings.lease);
            by = company->office->find(what.by);
            if (company->measures)
                company->measures->stalled(by ? by->handler : "");
        }
        company->vitals->note_stall(stalled{.lasted = what.lasted, .by = by});
        const auto step = course->at(what.lasted);
        if (step.say)
            say(what);
        if (step.vouch)
            vouch();
    }

    void say(const stall& what) const
    {
        named(company->log, by)
            .warning(by ? "a handler blocks its thread, nothing else of the context runs: let it "
                          "await, or run what blocks by delivery::offload"
                        : "the thread of the context stands still, and not in a handler: see that "
                          "its io_context is run, and what else runs on it",
                     {{"stood_still_ms", milliseconds(what.lasted)}});
    }

    void vouch()
    {
        if (vouching.exchange(true))
            return;
        const auto row = by ? std::optional(by->row) : std::nullopt;
        const bool taken = vouching_threads().run([self = shared_from_this(), row] {
            self->vouch_now(row);
            self->vouching = false;
        });
        if (!taken)
            vouching = false;
    }

    // On a thread that may block.
    void vouch_now(std::optional<pg::uuid> row) const noexcept
    {
        try {
            asio::io_context io{1};
            std::exception_ptr failed;
            asio::co_spawn(io, company->relay->vouch(row),
                           [&failed](std::exception_ptr error) { failed = std::move(error); });
            io.run();
            if (failed)
                std::rethrow_exception(failed);
        }
        catch (const std::exception& error) {
            company->log.warning("the database could not be told that this worker lives",
                                 {{"error", std::string_view(error.what())}});
        }
    }

    company_ptr company;
    std::function<bool()> has_ended;
    std::optional<stall_course> course;
    std::optional<handling_now> by;
    std::atomic<bool> vouching{false};
};

stall_watch::stall_watch(company_ptr company, const loop& whose, std::function<bool()> has_ended)
    : state_(std::make_shared<state>(std::move(company), std::move(has_ended))),
      watch_(whose, [state = state_](const stall& what) { state->told(what); })
{}

}

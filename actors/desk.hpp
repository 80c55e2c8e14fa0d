#pragma once

#include <cuebox/event/trace.hpp>
#include <cuebox/handling/handler.hpp>
#include <cuebox/outbox/claim.hpp>
#include <cuebox/runtime/activity.hpp>
#include <cuebox/runtime/short_lock.hpp>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cuebox::actors {

// A handler at work on an event, as it is told from another thread.
struct handling_now
{
    std::string handler{};
    std::string event_type{};
    event::uuid event_id{};
    pg::uuid row{};
    std::optional<std::string> trace_context{};
};

// Where a worker or a lane has what it handles, for a watchdog to see. Its coroutines run on the
// desk's executor, so that the loop knows whose turn it is.
class desk
{
public:
    explicit desk(const loop& on);

    const asio::any_io_executor& executor() const noexcept { return executor_; }
    bool is(const activity* at_work) const noexcept
    {
        return at_work && at_work == activity_.get();
    }

    // Both must stay until end().
    void begin(const handling::handler& by, const outbox::claimed_row& row) noexcept
    {
        const std::lock_guard lock(lock_);
        by_ = &by;
        row_ = &row;
    }
    void end() noexcept
    {
        const std::lock_guard lock(lock_);
        by_ = nullptr;
        row_ = nullptr;
    }
    // From any thread.
    std::optional<handling_now> look() const;

private:
    std::shared_ptr<activity> activity_;
    asio::any_io_executor executor_;
    mutable detail::short_lock lock_;
    const handling::handler* by_ = nullptr;
    const outbox::claimed_row* row_ = nullptr;
};

// One run of a handler at a desk.
class at_desk
{
public:
    at_desk(desk& where, const handling::handler& by, const outbox::claimed_row& row) noexcept
        : where_(where)
    {
        where_.begin(by, row);
    }
    ~at_desk() { where_.end(); }
    at_desk(const at_desk&) = delete;
    at_desk& operator=(const at_desk&) = delete;

private:
    desk& where_;
};

// The desks of a context; they come and go with its workers.
class office
{
public:
    std::shared_ptr<desk> open(const loop& on);
    // What is handled at the desk whose turn it is; none when it is no desk's, or nothing is.
    std::optional<handling_now> find(const activity* at_work) const;

private:
    mutable std::mutex mutex_;
    std::vector<std::weak_ptr<desk>> desks_;
};

}

#pragma once

#include <cuebox/outbox/claim.hpp>
#include <cuebox/outbox/reading.hpp>
#include <cuebox/outbox/retention.hpp>
#include <cuebox/pg/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cuebox::pg {
class transaction;
}

namespace cuebox::outbox {

// Rows that are locked in an open transaction, and settled by its commit. Dropped, it rolls back:
// the rows are as they were.
class locked_batch
{
public:
    virtual ~locked_batch() = default;

    virtual const std::vector<claimed_row_ptr>& rows() const = 0;
    virtual std::size_t expanded() const = 0;

    // The gate of dedup, before a handler runs: which of these keys are the caller's to handle. The
    // others were handled before, here or elsewhere. What follows can be undone together with the
    // records; one gate is open at a time.
    virtual pg::awaitable<std::vector<bool>> open_gate(std::vector<handled_record> keys) = 0;
    virtual pg::awaitable<void> undo_gate() = 0;
    // Throws what the commit would say about deferred constraints, so that who broke one is known.
    virtual pg::awaitable<void> check_constraints() = 0;

    // Where a handler's writes go.
    virtual pg::transaction& work() = 0;

    // Settles and commits. Their `handled` is not looked at: the gate has written it.
    virtual pg::awaitable<void> settle(std::vector<settlement> outcomes) = 0;
};

// What a worker says of itself with every sign of life: the rows it holds, and what became of
// others since it started.
struct worker_report
{
    std::size_t holding = 0;
    std::uint64_t delivered = 0;
    std::uint64_t retried = 0;
    std::uint64_t failed = 0;
};

// The dedicated session of a worker process: it listens, and its end is the end of the worker.
class line
{
public:
    virtual ~line() = default;

    // Empty, or why no NOTIFY can be heard on this connection.
    virtual const std::string& deaf_because() const = 0;
    // Returns when something was said on one of the channels. Cancelled, the line stays as it was.
    virtual pg::awaitable<void> heard() = 0;
    // Proves that the session is alive and still listens, and tells the database so. Throws if not.
    virtual pg::awaitable<void> check(worker_report report) = 0;
    virtual pg::awaitable<void> listen_also(std::string channel) = 0;
    // UNLISTEN, and the worker is gone from the list of those who live.
    virtual pg::awaitable<void> hang_up() = 0;
};

struct reaped_row
{
    pg::uuid id{};
    pg::uuid event_id{};
    std::string event_type{};
    std::string source{};
    std::optional<std::string> target{};
    std::int32_t attempts = 0;
    std::string outcome{}; // 'retry', 'failed' or 'released'
    std::optional<std::string> worker{};
    std::optional<std::string> last_error{};
    std::optional<std::string> trace_context{};
};

struct gauges
{
    // Of the notification queue of the whole cluster, 0 to 1.
    double notify_queue_usage = 0;

    // Rows of this generation that wait or are in flight, as of `counting`.
    std::int64_t pending = 0;
    std::int64_t in_flight = 0;
    std::optional<double> oldest_seconds{};

    // Of the whole database, as of `counting`.
    outbox::counting counting{};
    std::vector<backlog_group> backlog{};
    std::vector<dead_letter_group> dead_letters{};
    std::vector<unrouted_group> unrouted{};
    std::vector<stranded_group> stranded{};

    // How many transactions old the oldest snapshot in the cluster is that we may see, and whose.
    std::int64_t oldest_xmin_age = 0;
    std::optional<xmin_holder> oldest_xmin{};
    // False: for how long other users' transactions are open is not shown to us.
    bool sees_durations = false;
};

struct reap_request
{
    int max_retries = 5;
    // For event types that differ, as a JSON object: {"order.placed": 3}.
    std::string type_limits = "{}";
    std::chrono::milliseconds lease = std::chrono::seconds(300);
    // How long a worker must have been silent before its lock is looked at: longer than the line
    // takes to come back.
    std::chrono::milliseconds grace = std::chrono::seconds(5);
    // Look at expired leases too, not only at dead workers.
    bool expired = true;
};

// What a listening context asks of the outbox: the one way in which actors reach the database, so
// that a test can stand in for it, and another relay can take its place.
class relay
{
public:
    virtual ~relay() = default;

    // The name under which this process holds rows.
    virtual const std::string& worker() const = 0;

    // The leased flow: settles, and claims, in one transaction and one round trip. Gives what was
    // claimed and, in `lost`, the ids that were not settled because they are held by others now.
    struct exchanged
    {
        outbox::claimed claimed{};
        std::vector<pg::uuid> lost{};
        // Why broadcasts could not be expanded, if they could not; the rest was done.
        std::string expand_trouble{};
    };
    // The caller awaits it: the outcomes stay its own, to be tried again when this throws.
    virtual pg::awaitable<exchanged> exchange(std::span<const settlement> outcomes,
                                              std::optional<claim_request> wanted) = 0;
    // Which of these have been handled already: a look before running what may be a duplicate.
    virtual pg::awaitable<std::vector<bool>> already_handled(std::vector<handled_record> keys) = 0;
    // Renews leases; the ids that are lost.
    struct lease
    {
        pg::uuid id{};
        pg::uuid token{};
    };
    virtual pg::awaitable<std::vector<pg::uuid>> extend(std::vector<lease> held) = 0;
    // Says which rows' handlers run, so that their worker's death costs these an attempt alone.
    virtual pg::awaitable<void> mark_running(std::vector<pg::uuid> rows) = 0;

    // The transactional flow.
    virtual pg::awaitable<std::unique_ptr<locked_batch>> lock(claim_request wanted) = 0;

    // A transaction of the handler's own, for a transactional handler of a leased row.
    virtual pg::awaitable<std::unique_ptr<locked_batch>> begin() = 0;

    // Below it nothing is left to do.
    virtual pg::awaitable<event::timestamp> advance_floor() = 0;
    // How long until the next waiting row is due, by the database's clock.
    virtual pg::awaitable<std::optional<std::chrono::microseconds>> next_due() = 0;

    virtual pg::awaitable<std::unique_ptr<line>>
    open_line(std::vector<std::string> event_types) = 0;
    // How many workers of the context are gone without having said so.
    virtual pg::awaitable<int> lost_workers() { co_return 0; }
    // Says that the worker lives while its line is down.
    virtual pg::awaitable<void> keep_alive(worker_report report) = 0;
    // Says that the worker lives, and renews its leases, by a connection of its own: on whatever
    // executor it is awaited, for when that of the context stands still; because of the handler of
    // this row, if it is one's.
    virtual pg::awaitable<void> vouch(std::optional<pg::uuid>) { co_return; }
    virtual pg::awaitable<std::vector<reaped_row>> reap(reap_request how) = 0;
    // How many unsettled rows lay where nobody would have looked, and were found.
    virtual pg::awaitable<std::int64_t> recheck() { co_return 0; }
    // The backlog may be as old as that, or older where counting it is dear.
    virtual pg::awaitable<gauges> read_gauges(std::chrono::milliseconds age_max) = 0;
    // By the registry of the database unless other rules are given.
    virtual pg::awaitable<swept> sweep(std::optional<retention> rules) = 0;
};

}

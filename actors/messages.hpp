#pragma once

#include <cuebox/handling/handler_set.hpp>
#include <cuebox/outbox/relay.hpp>
#include <cuebox/runtime/address.hpp>
#include <cuebox/runtime/messages.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Everything that the actors of a listening context say to each other.
namespace cuebox::actors {

class hand;

// A leased row in this process's hands.
struct held_row
{
    outbox::claimed_row_ptr row{};
    pg::uuid token{};
    // The settler that claimed it, and will settle it.
    std::size_t settler = 0;
    // Handlers that have done their part already, in an earlier attempt or for another row with
    // the same key.
    std::vector<std::string> done{};
};

// --- worker: one leased row at a time ---

// The first of a run: while rows wait in that hand, the worker goes on with them by itself.
struct run_row
{
    held_row held{};
    // The claimer's, and gone when that is.
    std::weak_ptr<hand> from{};
};
struct lease_lost
{
    pg::uuid row{};
    // Of that claim; the row may be held under a newer one.
    pg::uuid token{};
};
// The worker's own: the handlers of its last row have ended, or took too long.
struct row_ended
{};
struct row_overdue
{
    // Which of its runs: one that has ended is past being late.
    std::uint64_t run = 0;
};
using worker_messages = messages<run_row, lease_lost, row_ended, row_overdue>;

// --- crew: hires workers ---

struct resize
{
    std::size_t workers = 0;
};
// Who is there? Asked by a claimer that has just started.
struct roll_call
{
    using coalesces = void;
};
using crew_messages = messages<resize, roll_call, exited>;

// --- claimer ---

// There may be something to claim: a NOTIFY, a retry that is due, a poll. One is as good as many.
struct wake
{
    using coalesces = void;
};
// Whether a NOTIFY can be heard. Nothing is claimed before the first of these.
struct line_state
{
    bool listening = false;
    // Down for too long to wait for it: look every few seconds.
    bool polling = false;
    // A worker of this context has died: for a while events are taken one at a time, and named to
    // the database before their handlers run, so that the one which kills is found out.
    bool careful = false;
};
// A settler's answer to `claim`. Not ok: the database did not answer, and nothing was claimed.
struct claimed
{
    std::size_t settler = 0;
    policy::claim_bounds bounds{};
    policy::claim_reach reach{};
    std::vector<held_row> rows{};
    std::size_t expanded = 0;
    bool ok = true;
};
// A lane has locked a batch: others can go on from where it got to.
struct lane_reached
{
    policy::claim_bounds bounds{};
    policy::claim_reach reach{};
    std::size_t expanded = 0;
    // Where its rows came from.
    std::vector<std::string> channels{};
};
// A lane is through with a batch.
struct lane_done
{
    std::size_t lane = 0;
    std::size_t rows = 0;
    // From the claim to the commit.
    duration took{};
    // Some row of it did not succeed.
    bool failures = false;
    // When the first of those that will be tried again is due.
    std::optional<std::chrono::microseconds> retry_in{};
    bool ok = true;
};
// A worker is through with a row, and free.
struct worker_idle
{
    std::size_t worker = 0;
    pg::uuid row{};
};
// Workers went on by themselves: there may be room for a claim.
struct hand_moved
{
    using coalesces = void;
};
// All workers, each in its place; claims are for so many of them.
struct crew_present
{
    std::vector<address<worker_messages>> workers{};
    std::size_t at_work = 0;
};
// What `mark_running` said of these is in the database.
struct marked
{
    std::vector<pg::uuid> rows{};
};
// Leases that were not renewed in time: others may have the rows by now.
struct leases_lost
{
    std::vector<outbox::relay::lease> leases{};
};
// The floor of the generation; none when the database did not answer.
struct floor_found
{
    std::optional<event::timestamp> floor{};
};
// The claimer's own timers.
struct poll_due
{
    using coalesces = void;
};
struct lease_check_due
{
    using coalesces = void;
};
struct mark_due
{
    using coalesces = void;
};
struct claim_again
{
    using coalesces = void;
};
struct floor_check_due
{
    using coalesces = void;
};
struct claimer_load
{
    std::size_t in_hand = 0;
    std::size_t waiting = 0;
    std::size_t claim_size = 0;
    bool polling = false;
};
struct get_load
{
    using reply = claimer_load;
};
using claimer_messages =
    messages<wake, line_state, claimed, lane_reached, lane_done, worker_idle, hand_moved,
             crew_present, marked, leases_lost, floor_found, poll_due, lease_check_due, mark_due,
             claim_again, floor_check_due, get_load>;

// --- lane: one locked batch at a time ---

struct take_batch
{
    outbox::claim_request wanted{};
    // Names each row to the database before its handler runs.
    bool careful = false;
};
using lane_messages = messages<take_batch>;

// --- settler ---

struct settle
{
    outbox::settlement outcome{};
    // What is told of it once it is written; none when it is given back.
    outbox::claimed_row_ptr row{};
    // Whose names the outcome views.
    std::shared_ptr<const handling::handler_set> handlers{};
};
struct claim
{
    outbox::claim_request wanted{};
};
struct extend_leases
{
    std::vector<outbox::relay::lease> held{};
};
// The leased rows whose handlers run; the last one counts. Answered by `marked` if asked for.
struct mark_running
{
    std::vector<pg::uuid> rows{};
    bool confirm = false;
};
// The same for the rows of a lane, whose handlers run when it has been answered.
struct mark_lane
{
    using reply = void;

    std::size_t lane = 0;
    std::vector<pg::uuid> rows{};
};
struct find_floor
{
    using coalesces = void;
};
using settler_messages =
    messages<settle, claim, extend_leases, mark_running, mark_lane, find_floor>;

// --- connection ---

// Its own: something was said on a channel; the line broke; time for a check or an attempt.
struct heard
{
    using coalesces = void;
};
struct line_broke
{
    std::string why{};
};
struct beat
{
    using coalesces = void;
};
struct try_again
{
    using coalesces = void;
};
// Its own: are the rows of a dead predecessor seen to?
struct settle_up
{
    using coalesces = void;
};
// Rows come on a channel nobody listens on.
struct listen_also
{
    std::string channel{};
};
// How is the line? Asked by a claimer that has just started; answered by line_state once one was
// said.
struct tell_line
{
    using coalesces = void;
};
struct line_health
{
    bool listening = false;
    bool polling = false;
    // Since the last check that succeeded.
    duration heartbeat_age{};
    std::string trouble{};
};
struct get_line
{
    using reply = line_health;
};
using connection_messages =
    messages<heard, line_broke, beat, try_again, settle_up, listen_also, tell_line, get_line>;

// --- retry ---

// A row waits, or may: find out when the next one is due.
struct look
{
    using coalesces = void;
};
// A row was just put off for so long.
struct due_in
{
    std::chrono::microseconds delay{};
};
struct now_due
{
    using coalesces = void;
};
struct look_now
{
    using coalesces = void;
};
using retry_messages = messages<look, due_in, look_now, now_due>;

// --- reaper, gauge, sweeper: each its own clock ---

struct tick
{
    using coalesces = void;
};
struct recheck_due
{
    using coalesces = void;
};
using reaper_messages = messages<tick, recheck_due>;
using gauge_messages = messages<tick>;
using sweeper_messages = messages<tick>;
}

#include <cuebox/operations/warnings.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace cuebox::operations {

namespace {

// Before its first heartbeats nobody knows whether a worker hears.
constexpr double settled_seconds = 10;
constexpr std::size_t of_a_kind_max = 3;

std::string events(std::int64_t count)
{
    return std::to_string(count) + (count == 1 ? " event" : " events");
}

std::string quote(std::string_view text)
{
    std::string quoted = "'";
    for (const char each : text)
        quoted += each == '\'' ? std::string("''") : std::string(1, each);
    return quoted + "'";
}

// Where rows of a generation that ends can go: the newest one that does not.
std::string newest_active(const status& seen)
{
    for (const generation_state& each : seen.generations) // Newest first.
        if (each.status == "active")
            return std::to_string(each.generation);
    return "GENERATION";
}

// How to have it end, in the words of SQL.
std::string remedy(const outbox::xmin_holder& holder)
{
    if (holder.kind == "prepared transaction")
        return "finish it: `commit prepared " + quote(holder.identity) +
               "` or `rollback prepared " + quote(holder.identity) + "` in database " +
               holder.database;
    if (holder.kind == "replication slot")
        return "let its consumer catch up, or drop it if there is none: `select "
               "pg_drop_replication_slot(" +
               quote(holder.identity) + ")`";
    if (holder.kind == "standby")
        return "end the long query on that standby, or turn its hot_standby_feedback off";
    return "end it, or `select pg_terminate_backend(" + holder.identity + ")`";
}

std::string describe(const outbox::xmin_holder& holder)
{
    std::string text = holder.kind == "backend" || holder.kind == "standby"
                           ? holder.kind + " " + holder.identity
                           : holder.kind + " \"" + holder.identity + "\"";
    std::string more;
    for (const std::string& each : {holder.application, holder.role, holder.state})
        if (!each.empty())
            more += (more.empty() ? "" : ", ") + each;
    return more.empty() ? text : text + " (" + more + ")";
}

void add_queue(std::vector<warning>& found, const status& seen, const warning_limits& limits)
{
    if (seen.notify_queue_usage < limits.notify_queue_usage)
        return;
    const auto percent = static_cast<int>(std::lround(seen.notify_queue_usage * 100));
    found.push_back({.code = "notify_queue",
                     .sentence = "the notification queue is " + std::to_string(percent) +
                                 " % full, and at 100 % publishing fails: some session listens "
                                 "and stays in a transaction, end it (docs/operating.md)"});
}

void add_workers(std::vector<warning>& found, const status& seen)
{
    std::set<std::int64_t> served;
    for (const listener& each : seen.listeners) {
        if (!each.silent())
            served.insert(each.generation);
        if (each.silent())
            found.push_back({.code = "silent_worker",
                             .sentence = "worker " + each.id + " has not been heard of for " +
                                         print_age(each.heartbeat_age_seconds) +
                                         ": its rows go to the other workers of context " +
                                         each.context + "; start one if there is none"});
        else if (!each.listening && each.uptime_seconds > settled_seconds)
            found.push_back({.code = "deaf_worker",
                             .sentence = "worker " + each.id +
                                         " hears no NOTIFY and polls: give its line a direct "
                                         "connection, not one through a transaction pooler"});
    }
    std::set<std::int64_t> waiting;
    for (const outbox::backlog_group& each : seen.backlog)
        if (!served.contains(each.generation))
            waiting.insert(each.generation);
    for (const outbox::stranded_group& each : seen.stranded)
        waiting.erase(each.generation); // That has a warning of its own.
    for (const std::int64_t each : waiting)
        found.push_back({.code = "no_worker",
                         .sentence = "events wait at generation " + std::to_string(each) +
                                     " and no worker runs there: start one with `cuebox worker`"});
}

void add_stranded(std::vector<warning>& found, const status& seen)
{
    for (const outbox::stranded_group& each : seen.stranded)
        found.push_back({.code = "stranded",
                         .sentence = events(each.events) + " left in generation " +
                                     std::to_string(each.generation) + ", which is " +
                                     each.deployment + ": move them with `cuebox drain --from " +
                                     std::to_string(each.generation) + " --to " +
                                     newest_active(seen) + "`"});
}

void add_unrouted(std::vector<warning>& found, const status& seen)
{
    for (const outbox::unrouted_group& each : seen.unrouted)
        found.push_back({.code = "unrouted",
                         .sentence = events(each.events) + " of type " + each.event_type +
                                     (each.target ? " for " + *each.target : std::string()) +
                                     ", and nobody listens for it at generation " +
                                     std::to_string(each.generation) +
                                     ": start a worker that handles it"});
}

void add_dead_letters(std::vector<warning>& found, const status& seen)
{
    const std::int64_t count = seen.totals.dead_letters;
    if (count > 0)
        found.push_back({.code = "dead_letters",
                         .sentence = std::to_string(count) +
                                     (count == 1 ? " dead letter" : " dead letters") +
                                     ": see why with `cuebox dlq list`, then replay or discard"});
}

void add_xmin(std::vector<warning>& found, const status& seen, const warning_limits& limits)
{
    for (const outbox::xmin_holder& each : seen.xmin_holders) {
        if (!is_old(each, limits))
            continue;
        const std::string since =
            each.seconds ? ", open for " + print_age(*each.seconds) + "," : ",";
        found.push_back(
            {.code = "old_snapshot",
             .sentence = describe(each) + ", " + std::to_string(each.xmin_age) +
                         " transactions old" + since +
                         " keeps old row versions from being cleaned up: " + remedy(each)});
        return; // With it gone, the next one shows.
    }
}

}

bool is_old(const outbox::xmin_holder& holder, const warning_limits& limits)
{
    return holder.xmin_age > limits.xmin_age ||
           holder.seconds.value_or(0) > static_cast<double>(limits.xmin_seconds.count());
}

std::string print_age(double seconds)
{
    const auto whole = static_cast<std::int64_t>(std::lround(std::max(seconds, 0.0)));
    if (whole < 120)
        return std::to_string(whole) + " s";
    if (whole < 2 * 3600)
        return std::to_string(whole / 60) + " min";
    if (whole < 2 * 86400)
        return std::to_string(whole / 3600) + " h";
    return std::to_string(whole / 86400) + " days";
}

std::vector<warning> find_warnings(const status& seen, const warning_limits& limits)
{
    std::vector<warning> all;
    add_queue(all, seen, limits);
    add_workers(all, seen);
    add_stranded(all, seen);
    add_unrouted(all, seen);
    add_dead_letters(all, seen);
    add_xmin(all, seen, limits);

    std::vector<warning> found;
    std::map<std::string, std::size_t> of_a_kind;
    for (warning& each : all)
        if (++of_a_kind[each.code] <= of_a_kind_max)
            found.push_back(std::move(each));
    for (const auto& [code, count] : of_a_kind)
        if (count > of_a_kind_max)
            found.push_back({.code = code,
                             .sentence = "and " + std::to_string(count - of_a_kind_max) +
                                         " more of the kind \"" + code +
                                         "\": `cuebox status --json` has everything"});
    return found;
}

}

#include "health.hpp"

#include <cuebox/event/uuid.hpp>

#include <algorithm>
#include <functional>
#include <map>

namespace cuebox::actors {

namespace {

using telemetry::exposition;
using telemetry::labels;

double seconds(duration time)
{
    return std::chrono::duration<double>(time).count();
}

std::optional<double> seconds(const std::optional<duration>& time)
{
    return time ? std::optional(seconds(*time)) : std::nullopt;
}

labels labels_of(const context_health& health)
{
    return {{"context", health.context}, {"copy", std::to_string(health.copy)}};
}

// One gauge with a sample for each context that knows.
void print_gauge(exposition& out, std::span<const context_health> all, std::string_view name,
                 std::string_view help,
                 const std::function<std::optional<double>(const context_health&)>& value)
{
    out.family(name, exposition::type::gauge, help);
    for (const context_health& each : all)
        if (const auto known = value(each))
            out.sample(labels_of(each), *known);
}

void print_line(exposition& out, std::span<const context_health> all)
{
    print_gauge(out, all, "cuebox_context_up", "1 while the context runs",
                [](const context_health& each) { return each.ended ? 0.0 : 1.0; });
    print_gauge(out, all, "cuebox_listen_up", "1 while a NOTIFY can be heard",
                [](const context_health& each) { return each.listening ? 1.0 : 0.0; });
    print_gauge(out, all, "cuebox_polling", "1 while the context looks every few seconds instead",
                [](const context_health& each) { return each.polling ? 1.0 : 0.0; });
    print_gauge(out, all, "cuebox_listen_heartbeat_age_seconds",
                "Since the LISTEN connection was last proved to be alive",
                [](const context_health& each) { return seconds(each.heartbeat_age); });
    print_gauge(out, all, "cuebox_database_silence_seconds",
                "Since the database was last heard of, by any connection",
                [](const context_health& each) { return seconds(each.silence); });
    print_gauge(
        out, all, "cuebox_loop_stalled_seconds",
        "Since the thread of the context stands still; 0 while it turns",
        [](const context_health& each) { return each.stall ? seconds(each.stall->lasted) : 0.0; });
    print_gauge(out, all, "cuebox_rows_in_hand", "Leased rows that this process holds",
                [](const context_health& each) -> std::optional<double> {
                    return each.load ? std::optional(static_cast<double>(each.load->in_hand))
                                     : std::nullopt;
                });
    print_gauge(out, all, "cuebox_claim_size", "Rows that the next claim asks for",
                [](const context_health& each) -> std::optional<double> {
                    return each.load ? std::optional(static_cast<double>(each.load->claim_size))
                                     : std::nullopt;
                });
}

using visit = std::function<void(const labels&, const snapshot&)>;

// The workers of a crew come and go in numbers: they are told of as one.
void for_each_actor(const context_health& health, const visit& call)
{
    for (const snapshot& each : health.tree.children) {
        labels of = labels_of(health);
        of.emplace_back("actor", each.name);
        snapshot whole = each;
        for (const snapshot& below : each.children) {
            whole.restarts += below.restarts;
            whole.mailbox_depth += below.mailbox_depth;
        }
        call(of, whole);
    }
}

void print_actors(exposition& out, std::span<const context_health> all)
{
    out.family("cuebox_actor_restarts_total", exposition::type::counter,
               "How often an actor was started again");
    for (const context_health& each : all)
        for_each_actor(each, [&](const labels& of, const snapshot& actor) {
            out.sample(of, static_cast<double>(actor.restarts));
        });
    out.family("cuebox_mailbox_depth", exposition::type::gauge, "Messages that wait for an actor");
    for (const context_health& each : all)
        for_each_actor(each, [&](const labels& of, const snapshot& actor) {
            out.sample(of, static_cast<double>(actor.mailbox_depth));
        });
}

struct amount
{
    std::int64_t rows = 0;
    double oldest_seconds = 0;

    void add(std::int64_t more, double oldest)
    {
        rows += more;
        oldest_seconds = std::max(oldest_seconds, oldest);
    }
};
using amounts = std::map<labels, amount>;

void print_amounts(exposition& out, const amounts& of, const std::string& name,
                   const std::string& what)
{
    out.family(name + "_rows", exposition::type::gauge, what);
    for (const auto& [labels, amount] : of)
        out.sample(labels, static_cast<double>(amount.rows));
    out.family(name + "_oldest_seconds", exposition::type::gauge, "Age of the oldest: " + what);
    for (const auto& [labels, amount] : of)
        out.sample(labels, amount.oldest_seconds);
}

void print_backlog(exposition& out, const outbox::gauges& read)
{
    // By event type there may be many: one family tells of those, one of the whole.
    amounts by_status;
    amounts by_type;
    for (const auto& each : read.backlog) {
        const std::string generation = std::to_string(each.generation);
        by_status[{{"generation", generation}, {"status", each.status}}].add(each.events,
                                                                             each.oldest_seconds);
        by_type[{{"generation", generation},
                 {"status", each.status},
                 {"channel", each.channel},
                 {"event_type", each.event_type}}]
            .add(each.events, each.oldest_seconds);
    }
    amounts dead;
    for (const auto& each : read.dead_letters)
        dead[{{"generation", std::to_string(each.generation)}, {"event_type", each.event_type}}]
            .add(each.events, each.oldest_seconds);
    amounts unrouted;
    for (const auto& each : read.unrouted)
        unrouted[{{"generation", std::to_string(each.generation)}, {"event_type", each.event_type}}]
            .add(each.events, each.oldest_seconds);
    amounts stranded;
    for (const auto& each : read.stranded)
        stranded[{{"generation", std::to_string(each.generation)}, {"deployment", each.deployment}}]
            .add(each.events, each.oldest_seconds);
    print_amounts(out, by_status, "cuebox_backlog", "Rows that are not settled");
    print_amounts(out, by_type, "cuebox_backlog_type", "Rows that are not settled, by event type");
    print_amounts(out, dead, "cuebox_dead_letter", "Dead letters that nobody discarded");
    print_amounts(out, unrouted, "cuebox_unrouted", "Pending rows that nobody listens for");
    print_amounts(out, stranded, "cuebox_stranded",
                  "Rows that are not settled in a draining or retired generation");
}

// How old a count is now.
double age_of(const context_health& health)
{
    return health.gauges->counting.age_seconds + seconds(health.gauges_age);
}

void print_database(exposition& out, const context_health& from)
{
    const outbox::gauges& read = *from.gauges;
    const auto gauge = [&](std::string_view name, std::string_view help, double value) {
        out.family(name, exposition::type::gauge, help);
        out.sample({}, value);
    };
    if (read.counting.counted) {
        print_backlog(out, read);
        gauge("cuebox_backlog_age_seconds", "How old the count of the backlog is", age_of(from));
        gauge("cuebox_backlog_count_seconds", "How long counting it took",
              read.counting.took_seconds);
    }
    gauge("cuebox_notify_queue_usage_ratio",
          "Of Postgres's notification queue; above 0.25 some listener does not read",
          read.notify_queue_usage);
    gauge("cuebox_oldest_xmin_age_transactions",
          "Age of the oldest snapshot: until it goes, nothing newer is cleaned up",
          static_cast<double>(read.oldest_xmin_age));
}

}

std::string why_not_ready(const context_health& health, duration silence_max)
{
    if (health.ended)
        return "context " + health.context + " has ended";
    if (health.stall) {
        const auto& by = health.stall->by;
        std::string why =
            "context " + health.context + " stands still for " +
            std::to_string(std::chrono::floor<std::chrono::seconds>(health.stall->lasted).count()) +
            " s: ";
        if (!by)
            return why + "its thread is blocked, and not by a handler";
        return why + by->handler + " blocks its thread with event " +
               event::print_uuid(by->event_id);
    }
    // Without a line it polls in the end, if the database can be reached by another connection.
    const bool hears = health.listening || health.polling;
    if (hears && health.silence && *health.silence <= silence_max)
        return {};
    return "context " + health.context + " has no connection to the database" +
           (health.trouble.empty() ? "" : ": " + health.trouble);
}

void print_health(exposition& out, std::span<const context_health> all)
{
    print_line(out, all);
    print_actors(out, all);
    const auto staleness = [](const context_health& each) {
        return std::pair(!each.gauges->counting.counted, age_of(each));
    };
    const context_health* latest = nullptr;
    for (const context_health& each : all)
        if (each.gauges && (!latest || staleness(each) < staleness(*latest)))
            latest = &each;
    if (latest)
        print_database(out, *latest);
}

}

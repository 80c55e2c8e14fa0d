#include "event_print.hpp"

#include "event_words.hpp"
#include "indent_json.hpp"
#include "printable.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "terminal.hpp"

#include <ostream>

namespace cuebox::cli {

namespace {

constexpr std::size_t name_width = 14;

// Several lines that may command nothing, each but the first one moved to the right.
std::string indented(std::string_view text, std::size_t by)
{
    std::string moved;
    for (const char each : printable_lines(text)) {
        moved += each;
        if (each == '\n')
            moved.append(by, ' ');
    }
    return moved;
}

void print_line(std::ostream& out, std::string_view name, const std::string& value)
{
    out << name << std::string(name_width - columns_of(name), ' ') << value << '\n';
}

void print_line(std::ostream& out, std::string_view name, const std::optional<std::string>& value)
{
    if (value)
        print_line(out, name, indented(*value, name_width));
}

// Since when it is in the state it is in.
event::timestamp since(const operations::event_detail& event)
{
    const auto changed = event.status == "delivered"   ? event.delivered_at
                         : event.status == "failed"    ? event.failed_at
                         : event.status == "in_flight" ? event.claimed_at
                                                       : std::nullopt;
    return changed.value_or(event.created_at);
}

// The cycle that a discarded dead letter ended with is in its history already.
std::size_t cycle_of(const operations::event_detail& event)
{
    return event.history.size() + (event.status == "failed" && event.deleted_at ? 0 : 1);
}

std::string state(const operations::event_detail& event)
{
    std::string text = event.status;
    // A pending one may have been claimed and given back: nobody wrote down when.
    if (event.status != "pending")
        text += " since " + print_time(since(event));
    if (event.deleted_at)
        text += ", deleted " + print_time(event.deleted_at);
    return text + ", cycle " + std::to_string(cycle_of(event)) + ", " + retries(event.attempts);
}

void print_trouble(std::ostream& out, const operations::event_detail& event)
{
    if (!event.last_error && !event.handler)
        return;
    print_line(out, "error", event.last_error);
    print_line(out, "handler", event.handler);
    print_line(out, "first failed", print_time(event.first_failed_at));
    if (event.failed_at)
        print_line(out, "failed", print_time(event.failed_at));
}

void print_envelope(std::ostream& out, const operations::event_detail& event)
{
    print_line(out, "event", event::print_uuid(event.event_id));
    if (event.event_id != event.id)
        print_line(out, "row", event::print_uuid(event.id) + ", a copy of a broadcast");
    print_line(out, "type",
               printable(event.event_type) + " version " + std::to_string(event.event_version));
    print_line(out, "from → for", way(event.source, event.target));
    print_line(out, "status", state(event));
    print_line(out, "generation",
               std::to_string(event.generation) + ", channel " + printable(event.channel));
    if (event.status == "pending")
        print_line(out, "due", print_time(event.available_at));
    if (event.worker)
        print_line(out, "worker",
                   printable(*event.worker) +
                       (event.claimed_at ? ", claimed " + print_time(event.claimed_at) : ""));
    print_trouble(out, event);
    print_line(out, "occurred", print_time(event.occurred_at));
    print_line(out, "published", print_time(event.created_at));
    if (event.delivered_at)
        print_line(out, "delivered", print_time(event.delivered_at));
    if (event.domain_id)
        print_line(out, "domain", event::print_uuid(*event.domain_id));
    print_line(out, "class", printable(event.content_class));
    print_line(out, "key", printable(event.idempotency_key));
    print_line(out, "trace", event.trace_context);
}

void print_cycle(std::ostream& out, const operations::failure_cycle& cycle)
{
    out << "cycle " << cycle.cycle << "  failed " << print_time(cycle.failed_at) << " after "
        << retries(cycle.attempts);
    if (cycle.handler)
        out << " in " << printable(*cycle.handler);
    out << ", first at " << print_time(cycle.first_failed_at) << '\n';
    print_line(out, "", cycle.last_error);
    if (cycle.replayed_at)
        print_line(out, "",
                   "replayed " + print_time(cycle.replayed_at) + " by " +
                       or_dash(cycle.replayed_by));
    if (cycle.discarded_at)
        print_line(out, "",
                   "discarded " + print_time(cycle.discarded_at) + " by " +
                       or_dash(cycle.discarded_by));
}

void print_copy(std::ostream& out, const operations::event_copy& copy)
{
    print_line(out, copy.target ? "copy" : "broadcast",
               event::print_uuid(copy.id) + "  " +
                   (copy.target ? "for " + printable(*copy.target) + "  " : "") + "generation " +
                   std::to_string(copy.generation) + "  " + copy.status +
                   (copy.deleted_at ? ", deleted " + print_time(copy.deleted_at) : ""));
}

}

void print_event(std::ostream& out, const operations::event_detail& event)
{
    print_envelope(out, event);
    out << "payload\n  " << indented(indent_json(event.payload.text), 2) << '\n';
    for (const auto& each : event.history)
        print_cycle(out, each);
    for (const auto& each : event.handled)
        print_line(out, "handled", print_time(each.handled_at) + " by " + printable(each.handler));
    for (const auto& each : event.actions)
        print_line(out, "action",
                   print_time(each.at) + ' ' + printable(each.action) + " by " +
                       or_dash(each.actor) + " (database user " + printable(each.database_user) +
                       ") " + printable(each.detail.text));
    for (const auto& each : event.copies)
        print_copy(out, each);
}

void print_failed_copies(std::ostream& out, event::uuid of, std::int64_t count)
{
    if (count > 0)
        print_line(out, "copies",
                   with_commas(static_cast<std::size_t>(count)) +
                       " failed, see `cuebox dlq list --event " + event::print_uuid(of) + "`");
}

}

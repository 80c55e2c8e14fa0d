#include <cuebox/event/timestamp.hpp>
#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/statements.hpp>

namespace cuebox::outbox {

namespace {

// Before any row's created_at, whatever the two clocks say: such a row is an ordinary one.
constexpr pg::timestamp at_once{std::chrono::sys_days{std::chrono::year{2000} / 1 / 1}};

}

bulk::bulk(pg::transaction& within, pg::copy_in copy) : within_(&within), copy_(std::move(copy)) {}

pg::awaitable<bulk> bulk::start(pg::transaction& within)
{
    pg::copy_in copy = co_await pg::copy_in::start(within, publish_copy);
    co_return bulk(within, std::move(copy));
}

pg::awaitable<void> bulk::add(const outgoing& event)
{
    // The row itself is always quiet: one NOTIFY for all goes with the commit.
    constexpr bool quiet = true;
    const auto& envelope = event.envelope;
    if (!channels_.contains(event.channel))
        channels_.insert(event.channel);
    if (auto note = note_of(event))
        notes_.emplace_back(event.witness, std::move(*note));
    const auto available_at = event.delay.count() > 0 ? event::now() + event.delay : at_once;
    return copy_.write(envelope.event_id, envelope.event_type,
                       static_cast<std::int32_t>(envelope.event_version), envelope.occurred_at,
                       envelope.source, envelope.target, event.content_class, event.channel,
                       event.generation, envelope.domain_id, pg::json{envelope.payload.text},
                       envelope.idempotency_key, envelope.trace_context, available_at, quiet);
}

pg::awaitable<std::size_t> bulk::finish()
{
    const std::size_t taken = co_await copy_.finish();
    const std::vector<std::string> channels(channels_.begin(), channels_.end());
    if (!channels.empty())
        within_->add_to_commit(wake_channels, pg::params(std::in_place, channels));
    if (!notes_.empty())
        within_->after_commit([notes = std::move(notes_)] {
            for (const auto& [to, what] : notes)
                to->tell(what);
        });
    co_return taken;
}

}

#include <cuebox/outbox/worker_statements.hpp>

#include <algorithm>
#include <string_view>

namespace cuebox::outbox {

const pg::statement claim_leased{.name = "claim", .sql = R"(
select * from core.outbox_claim($1::text, $2::uuid, $3::bigint, $4::text, $5::text[], $6::text[],
    $7::int, $8::timestamptz, $9::timestamptz))"};

const pg::statement turn_one{.name = "turn", .sql = R"(
select * from core.outbox_turn($1::uuid, $2::uuid, $3::text, $4::text, $5::uuid, $6::text, $7::text,
    $8::uuid, $9::bigint, $10::text, $11::text[], $12::text[], $13::int, $14::timestamptz,
    $15::timestamptz))"};

const pg::statement claim_locked{.name = "claim locked", .sql = R"(
select * from core.outbox_claim_locked($1::bigint, $2::text, $3::text[], $4::text[], $5::int,
    $6::timestamptz, $7::timestamptz))"};

const pg::statement expand_broadcasts{.name = "expand", .sql = R"(
select core.outbox_expand($1::bigint, $2::text[], $3::int, $4::timestamptz, $5::timestamptz))"};

const pg::statement shares_events{.name = "shares", .sql = R"(
select core.outbox_shares($1::bigint, $2::text[]))"};

const pg::statement settle_delivered{.name = "settle", .sql = R"(
select * from core.outbox_settle($1::uuid[], $2::uuid[]))"};

const pg::statement settle_claim{.name = "settle", .sql = R"(
select * from core.outbox_settle_delivered($1::uuid, $2::tid[], $3::uuid[]))"};

const pg::statement settle_outcomes{.name = "settle", .sql = R"(
select * from core.outbox_settle($1::uuid[], $2::uuid[], $3::text[], $4::interval[], $5::text[],
    $6::text[]))"};

const pg::statement settle_locked_delivered{.name = "settle locked", .sql = R"(
select * from core.outbox_settle_locked($1::tid[], $2::uuid[]))"};

const pg::statement settle_locked_outcomes{.name = "settle locked", .sql = R"(
select * from core.outbox_settle_locked($1::tid[], $2::uuid[], $3::text[], $4::interval[],
    $5::text[], $6::text, $7::text[]))"};

const pg::statement record_handled{.name = "record handled", .sql = R"(
select * from core.record_handled($1::text[], $2::text[], $3::uuid[], $4::text[], $5::boolean))"};

const pg::statement gate_handled{.name = "dedup", .sql = R"(
insert into core.event_handled (handler_name, idempotency_key, event_id, content_class)
select unnest($1::text[]), unnest($2::text[]), unnest($3::uuid[]), unnest($4::text[])
on conflict do nothing
returning handler_name as handler, idempotency_key)"};

const pg::statement gate_one{.name = "dedup one", .sql = R"(
insert into core.event_handled (handler_name, idempotency_key, event_id, content_class)
values ($1::text, $2::text, $3::uuid, $4::text)
on conflict do nothing
returning handler_name as handler, idempotency_key)"};

// The records as an array each, so that every probe is one of the primary key.
const pg::statement find_handled{.name = "find handled", .sql = R"(
select h.handler_name as handler, h.idempotency_key
from unnest($1::text[], $2::text[], $3::uuid[], $4::text[]) as k (handler, key, event, class)
join core.event_handled h on h.handler_name = k.handler and h.idempotency_key = k.key)"};

const pg::statement extend_leases{.name = "extend", .sql = R"(
select * from core.outbox_extend($1::uuid[], $2::uuid[]))"};

// Visible is enough: after a crash of the server the worker is gone from the list anyway.
const pg::statement mark_running{.name = "mark running", .sql = R"(
select core.worker_running($1::text, $2::uuid[]), set_config('synchronous_commit', 'off', true))"};

const pg::statement advance_floor{.name = "advance floor", .sql = R"(
select core.outbox_advance_floor($1::bigint))"};

// A row may become due between the last claim and this look, and then be seen by neither.
const pg::statement next_due{.name = "next due", .sql = R"(
select core.outbox_next_due($1::bigint, interval '250 milliseconds') - clock_timestamp())"};

const pg::statement reap_rows{.name = "reap", .sql = R"(
select r.*, core.outbox_trace_of(r.id) as trace_context
from core.outbox_reap_events($1::bigint, $2::text, $3::int, $4::jsonb, $5::interval, $6::interval,
    $7::boolean) r)"};

const pg::statement recheck_rows{.name = "recheck", .sql = R"(
select recovered, next_from from core.outbox_recheck($1::bigint, $2::timestamptz))"};

const pg::statement subscribe_context{.name = "subscribe", .sql = R"(
select core.subscribe($1::text, $2::bigint, $3::text[]))"};

const pg::statement register_worker{.name = "register worker", .sql = R"(
select core.worker_register($1::text, $2::text, $3::bigint, $4::text, $5::int, $6::boolean))"};

const pg::statement worker_heartbeat{.name = "heartbeat", .sql = R"(
select core.worker_heartbeat($1::text, $2::int, $3::boolean, $4::bigint, $5::bigint, $6::bigint))"};

const pg::statement vouch_for_worker{.name = "vouch for worker", .sql = R"(
select core.worker_vouch($1::text, $2::uuid))"};

const pg::statement unregister_worker{.name = "unregister worker", .sql = R"(
select core.worker_unregister($1::text))"};

const pg::statement workers_lost{.name = "workers lost", .sql = R"(
select core.workers_lost($1::text, $2::bigint))"};

const pg::statement listening_channels{.name = "listening channels", .sql = R"(
select pg_listening_channels())"};

const pg::statement say_on_channel{.name = "say", .sql = R"(
select pg_notify($1::text, ''))"};

// One sweeper in the whole database, for as long as its transaction takes.
const pg::statement try_sweep_lock{.name = "sweep lock", .sql = R"(
select pg_try_advisory_xact_lock(1668637026, 0))"};

const pg::statement sweep_generation{.name = "sweep outbox", .sql = R"(
select tombstoned, deleted, next_from from core.sweep_outbox($1::bigint, $2::timestamptz,
    $3::interval, $4::interval))"};

const pg::statement sweep_handled{.name = "sweep handled", .sql = R"(
select tombstoned, deleted, next_from
from core.sweep_event_handled($1::interval, $2::interval, p_from => $3::tid))"};

const pg::statement read_policies{.name = "retention", .sql = R"(
select extract(epoch from o.active)::bigint as outbox_active,
    extract(epoch from o.grace)::bigint as outbox_grace,
    extract(epoch from h.active)::bigint as handled_active,
    extract(epoch from h.grace)::bigint as handled_grace
from core.retention_policies o, core.retention_policies h
where o.subject = 'outbox_row' and h.subject = 'event_handled')"};

const pg::statement list_generations{.name = "generations", .sql = R"(
select core.outbox_generations())"};

namespace {

// One column: the same member of every row.
template <class Rows, class Member>
auto column(const Rows& rows, Member member)
{
    std::vector<decltype(member(*std::begin(rows)))> values;
    values.reserve(std::size(rows));
    for (const auto& each : rows)
        values.push_back(member(each));
    return values;
}

constexpr auto id_of = [](const settlement* each) { return each->id; };
constexpr auto token_of = [](const settlement* each) { return each->token; };
constexpr auto place_of = [](const settlement* each) { return each->place; };
constexpr auto outcome_of = [](const settlement* each) { return policy::to_string(each->verdict); };

std::chrono::microseconds delay_of(const settlement* each)
{
    const auto* retry = std::get_if<policy::retry_in>(&each->verdict);
    return retry ? retry->delay : std::chrono::microseconds{};
}

std::optional<std::string_view> error_of(const settlement* each)
{
    if (const auto* retry = std::get_if<policy::retry_in>(&each->verdict))
        return retry->reason;
    if (const auto* dead = std::get_if<policy::dead_letter>(&each->verdict))
        return dead->reason;
    return std::nullopt;
}

// Whose failure the error tells of; a failure that is no handler's has none.
std::optional<std::string_view> handler_of(const settlement* each)
{
    std::string_view name;
    if (const auto* retry = std::get_if<policy::retry_in>(&each->verdict))
        name = retry->handler;
    else if (const auto* dead = std::get_if<policy::dead_letter>(&each->verdict))
        name = dead->handler;
    return name.empty() ? std::nullopt : std::optional(name);
}

}

pg::params settle_delivered_params(settlements rows)
{
    return pg::params(std::in_place, column(rows, id_of), column(rows, token_of));
}

pg::params settle_claim_params(settlements rows)
{
    return pg::params(std::in_place, rows.front()->token, column(rows, place_of),
                      column(rows, id_of));
}

pg::params settle_outcomes_params(settlements rows)
{
    return pg::params(std::in_place, column(rows, id_of), column(rows, token_of),
                      column(rows, outcome_of), column(rows, delay_of), column(rows, error_of),
                      column(rows, handler_of));
}

pg::params settle_locked_delivered_params(settlements rows)
{
    return pg::params(std::in_place, column(rows, place_of), column(rows, id_of));
}

pg::params settle_locked_outcomes_params(settlements rows, std::string_view worker)
{
    return pg::params(std::in_place, column(rows, place_of), column(rows, id_of),
                      column(rows, outcome_of), column(rows, delay_of), column(rows, error_of),
                      worker, column(rows, handler_of));
}

pg::params heartbeat_params(std::string_view worker, const worker_report& report, bool listening)
{
    return pg::params(std::in_place, worker, static_cast<std::int32_t>(report.holding), listening,
                      static_cast<std::int64_t>(report.delivered),
                      static_cast<std::int64_t>(report.retried),
                      static_cast<std::int64_t>(report.failed));
}

pg::params handled_params(const handled_record& record)
{
    return pg::params(std::in_place, record.handler, record.idempotency_key, record.event_id,
                      record.content_class);
}

pg::params handled_params(std::span<const handled_record* const> records)
{
    using record = const handled_record*;
    return pg::params(std::in_place, column(records, [](record r) { return r->handler; }),
                      column(records, [](record r) { return r->idempotency_key; }),
                      column(records, [](record r) { return r->event_id; }),
                      column(records, [](record r) { return r->content_class; }));
}

}

#include <cuebox/operations/statements.hpp>

namespace cuebox::operations {

#define CUEBOX_DLQ_FILTER                                                                          \
    "core.find_dead_letters(p_event_type => $1::text, p_source => $2::text, "                      \
    "p_target => $3::text, p_handler => $4::text, p_error => $5::text, "                           \
    "p_error_class => $6::text, p_generation => $7::bigint, "                                      \
    "p_failed_from => $8::timestamptz, p_failed_until => $9::timestamptz, "                        \
    "p_event_id => $10::uuid, p_domain_id => $11::uuid"

const pg::statement find_dlq_events{
    .name = "find dead letters",
    .sql = "select id, event_id, event_type, event_version, source, target, generation, channel, "
           "domain_id, idempotency_key, attempts, cycle, handler, error_class, last_error, "
           "first_failed_at, failed_at, worker, occurred_at, created_at from " CUEBOX_DLQ_FILTER
           ", p_oldest_first => $12::boolean, p_limit => $13::int, "
           "p_after_failed_at => $14::timestamptz, p_after_id => $15::uuid)"};

const pg::statement count_dlq{.name = "count dead letters",
                              .sql = "select count(*) from " CUEBOX_DLQ_FILTER ")"};

const pg::statement group_dlq_by_error{
    .name = "group dead letters",
    .sql = "select l.error_class, null::text as event_type, null::text as source, "
           "null::text as target, null::text as handler, count(*) as events, "
           "min(l.failed_at) as oldest_at, max(l.failed_at) as newest_at "
           "from " CUEBOX_DLQ_FILTER ") l group by 1 order by events desc, 1"};

const pg::statement group_dlq_by_type{
    .name = "group dead letters",
    .sql = "select null::text as error_class, l.event_type, l.source, l.target, "
           "null::text as handler, count(*) as events, "
           "min(l.failed_at) as oldest_at, max(l.failed_at) as newest_at "
           "from " CUEBOX_DLQ_FILTER ") l group by 2, 3, 4 order by events desc, 2, 3, 4"};

const pg::statement group_dlq_by_handler{
    .name = "group dead letters",
    .sql = "select null::text as error_class, null::text as event_type, null::text as source, "
           "null::text as target, l.handler, count(*) as events, "
           "min(l.failed_at) as oldest_at, max(l.failed_at) as newest_at "
           "from " CUEBOX_DLQ_FILTER ") l group by 5 order by events desc, 5"};

#undef CUEBOX_DLQ_FILTER

const pg::statement find_events{.name = "find events", .sql = R"(
select id, event_id, event_type, event_version, source, target, generation, channel, domain_id,
    idempotency_key, status, attempts, available_at, handler, last_error, worker, claimed_at,
    occurred_at, created_at, delivered_at, failed_at, looked_until
from core.find_events(p_status => $1::text, p_event_type => $2::text, p_source => $3::text,
    p_target => $4::text, p_domain_id => $5::uuid, p_idempotency_key => $6::text,
    p_generation => $7::bigint, p_created_from => $8::timestamptz,
    p_created_until => $9::timestamptz, p_due => $10::boolean, p_limit => $11::int,
    p_after_created_at => $12::timestamptz, p_after_id => $13::uuid, p_rows => $14::int))"};

const pg::statement read_event{.name = "read event", .sql = R"(
select o.id, coalesce(o.event_id, o.id) as event_id, o.event_type, o.event_version, o.source,
    o.target, o.generation, o.channel, o.content_class, o.domain_id, o.idempotency_key,
    o.trace_context, o.payload, o.status, o.attempts, o.last_handler as handler, o.last_error,
    o.first_failed_at, o.failed_at, o.claimed_by as worker, o.claimed_at, o.available_at,
    o.occurred_at, o.created_at, o.delivered_at, o.deleted_at
from core.outbox o where o.id = $1::uuid)"};

const pg::statement read_failure_history{.name = "read history", .sql = R"(
select coalesce(c.cycle, 0) as cycle, coalesce(c.attempts, 0) as attempts, c.handler, c.last_error,
    c.first_failed_at, c.failed_at, c.replayed_at, c.replayed_by, c.discarded_at, c.discarded_by
from core.outbox o, jsonb_to_recordset(o.failure_history) as c (cycle int, attempts int,
    handler text, last_error text, first_failed_at timestamptz, failed_at timestamptz,
    replayed_at timestamptz, replayed_by text, discarded_at timestamptz, discarded_by text)
where o.id = $1::uuid order by c.cycle)"};

const pg::statement read_handled_by{.name = "who handled it", .sql = R"(
select handler, event_id, handled_at from core.outbox_handled_by($1::text))"};

const pg::statement read_actions{.name = "read actions", .sql = R"(
select a.at, a.actor, a.database_user, a.action, a.detail
from core.operator_actions a where a.row_id = $1::uuid order by a.id)"};

const pg::statement read_copies{.name = "read copies", .sql = R"(
select id, target, generation, status, attempts, created_at, delivered_at, failed_at, deleted_at
from core.outbox_copies($1::uuid))"};

const pg::statement database_clock{.name = "clock", .sql = "select clock_timestamp()"};

const pg::statement limit_time{.name = "limit time",
                               .sql = "select set_config('statement_timeout', $1::text, true)"};

const pg::statement replay_rows{.name = "replay", .sql = R"(
select id, result, reason, hint, generation
from core.outbox_replay_many($1::uuid[], $2::bigint, $3::text, $4::boolean, $5::interval))"};

const pg::statement discard_rows{.name = "discard", .sql = R"(
select id, result, reason, hint, null::bigint as generation
from core.outbox_discard_many($1::uuid[], $2::text))"};

const pg::statement read_generations{.name = "generations", .sql = R"(
with backlog as materialized (
    select b.generation, coalesce(sum(b.events) filter (where b.status = 'pending'), 0) as pending,
        coalesce(sum(b.events) filter (where b.status = 'in_flight'), 0) as in_flight
    from core.outbox_backlog() b group by 1),
dead as materialized (
    select l.generation, count(*) as events from core.find_dead_letters() l group by 1),
known (generation) as (
    select generation from core.deployments union select generation from core.subscriptions
    union select generation from core.workers union select generation from backlog
    union select generation from dead)
select k.generation, d.label, coalesce(d.status, 'unallocated') as status, d.started_at,
    d.retired_at, coalesce(b.pending, 0)::bigint as pending,
    coalesce(b.in_flight, 0)::bigint as in_flight, coalesce(l.events, 0)::bigint as dead_letters,
    (select count(*) from core.workers w where w.generation = k.generation) as workers,
    array(select distinct s.context from core.subscriptions s
          where s.generation = k.generation order by 1) as contexts
from known k
left join core.deployments d on d.generation = k.generation
left join backlog b on b.generation = k.generation
left join dead l on l.generation = k.generation
order by k.generation)"};

const pg::statement allocate_one{.name = "allocate generation", .sql = R"(
select core.allocate_generation($1::text, $2::text))"};

const pg::statement retire_one{.name = "retire generation", .sql = R"(
select core.retire_generation($1::bigint, $2::text))"};

const pg::statement read_unsettled{.name = "unsettled rows", .sql = R"(
select coalesce(sum(b.events) filter (where b.status = 'pending'), 0)::bigint as pending,
    coalesce(sum(b.events) filter (where b.status = 'in_flight'), 0)::bigint as in_flight,
    (select count(*) from core.workers w where w.generation = $1::bigint) as workers
from core.outbox_backlog() b where b.generation = $1::bigint)"};

const pg::statement drain_rows{.name = "drain", .sql = R"(
select core.outbox_drain($1::bigint, $2::bigint, $3::text, $4::int))"};

const pg::statement record_sweep{.name = "record sweep", .sql = R"(
select core.record_sweep($1::text, $2::jsonb))"};

}

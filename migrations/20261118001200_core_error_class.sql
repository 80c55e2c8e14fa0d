-- The class of an error is what stands before the first colon of its first line: "<class>: <message>" is how workers write
-- it. An error without a colon, written by hand or by an older worker, is its own class, and may be long: it is cut.
create or replace view core.dead_letters as
    select o.id, coalesce(o.event_id, o.id) as event_id, o.event_type, o.event_version, o.source, o.target,
        o.generation, o.channel, o.domain_id, o.idempotency_key, o.attempts, o.last_handler as handler,
        left(split_part(split_part(o.last_error, E'\n', 1), ':', 1), 120) as error_class, o.last_error,
        o.first_failed_at, o.failed_at,
        jsonb_array_length(o.failure_history) + 1 as cycle, o.claimed_by as worker, o.occurred_at, o.created_at
    from core.outbox o
    where o.failed_at is not null and o.status = 'failed' and o.deleted_at is null;

-- The trace that a row was published in: a worker that takes the row of a dead one back has not claimed it, and tells of it
-- all the same.
create function core.outbox_trace_of(p_row uuid)
returns text
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select o.trace_context from core.outbox o where o.id = p_row
$$;
revoke all on function core.outbox_trace_of(uuid) from public;

-- What events cost that are taken one by one: a call for each turn of a worker, where it was three.

-- Leased flow: a row that was delivered is settled and its handler's record written, and then others are claimed, as
-- core.outbox_claim does. To begin and end a statement is most of what it costs for one row: with twelve sessions that
-- take rows one by one, this is a sixth of the server's work less than the three calls. A row that somebody else has by
-- now is an error, CB002, and changes nothing: the three calls say which one it is and go on.
create function core.outbox_turn(
    p_id uuid, p_settled_token uuid, p_handler text, p_key text, p_event_id uuid, p_class text,
    p_worker text, p_token uuid, p_generation bigint, p_context text, p_event_types text[], p_channels text[],
    p_limit int, p_from timestamptz, p_due_from timestamptz)
returns setof core.claimed_row
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_now timestamptz;
begin
    insert into core.event_handled (handler_name, idempotency_key, event_id, content_class)
        values (p_handler, p_key, p_event_id, p_class)
        on conflict do nothing;
    update core.outbox o
        set status = 'delivered', delivered_at = clock_timestamp(), claim_token = null,
            available_at = least(o.available_at, o.created_at)
        where o.id = p_id and o.claim_token = p_settled_token;
    if not found then
        raise exception 'event % is not held under that token any more', p_id using errcode = 'CB002';
    end if;
    -- Only now: to write the record may have taken long, if another transaction was about to.
    v_now := clock_timestamp();
    return query
        update core.outbox o
        set status = 'in_flight', claim_token = p_token, claimed_by = p_worker, claimed_at = clock_timestamp()
        where o.ctid = any(array(
            select c.place from (
                select * from (select o.ctid as place
                 from core.outbox o
                 where o.generation = p_generation and o.available_at > o.created_at
                   and o.available_at >= p_due_from and o.available_at <= v_now
                   and o.status = 'pending' and o.deleted_at is null
                   and o.event_type = any(p_event_types)
                   and (o.target = p_context or o.target is null and o.event_type <> all(array(
                       select s.event_type from core.subscriptions s
                       where s.generation = p_generation and s.event_type = any(p_event_types)
                         and s.context <> p_context)))
                   and (p_channels is null or o.channel = any(p_channels))
                 order by o.available_at
                 limit p_limit
                 for update skip locked) due
                union all
                select * from (select o.ctid as place
                 from core.outbox o
                 where o.generation = p_generation and o.created_at >= p_from
                   and o.available_at <= o.created_at
                   and o.status = 'pending' and o.deleted_at is null
                   and o.event_type = any(p_event_types)
                   and (o.target = p_context or o.target is null and o.event_type <> all(array(
                       select s.event_type from core.subscriptions s
                       where s.generation = p_generation and s.event_type = any(p_event_types)
                         and s.context <> p_context)))
                   and (p_channels is null or o.channel = any(p_channels))
                 order by o.created_at
                 limit p_limit
                 for update skip locked) ordinary) c
            limit p_limit))
        returning o.id, coalesce(o.event_id, o.id), o.event_type, o.event_version, o.occurred_at, o.source,
            o.target, o.domain_id, o.payload, o.idempotency_key, o.trace_context, o.content_class, o.channel,
            o.attempts, o.available_at, o.created_at, o.ctid;
end
$$;
revoke all on function core.outbox_turn(uuid, uuid, text, text, uuid, text, text, uuid, bigint, text, text[], text[], int,
    timestamptz, timestamptz) from public;

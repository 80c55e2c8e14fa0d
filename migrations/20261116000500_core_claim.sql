-- Claiming: take rows of one generation for one context.
--
-- Both flows look at the same two places, each from a bound that the caller keeps:
--   p_due_from   in outbox_due, rows whose time has come, oldest time first;
--   p_from       in outbox_in_order, ordinary rows, oldest first.
-- From a high bound a claim is cheap however long the history; from the floor and '-infinity' it finds
-- everything. docs/schema.md says how to keep the bounds.
--
-- The locked set is an array before anything is updated, so a claim never returns more than was asked.
-- Planner settings are pinned. With the statistics of an empty table the plan would be a scan of the table and a
-- sort of the backlog. Without force_generic_plan each call is planned anew, which takes three times as long as
-- running it. And a table that looks large makes JIT compile the statement on every call: 20 ms for 20 rows.

-- What a worker gets to see of a row: the envelope, and what it needs to settle it.
create type core.claimed_row as (
    id              uuid,
    event_id        uuid,
    event_type      text,
    event_version   int,
    occurred_at     timestamptz,
    source          text,
    target          text,
    domain_id       uuid,
    payload         jsonb,
    idempotency_key text,
    trace_context   text,
    content_class   text,
    channel         text,
    attempts        int,
    available_at    timestamptz,
    created_at      timestamptz,
    place           tid
);

-- Locks up to p_limit claimable rows until the end of the transaction and returns where they are. Broadcasts
-- that another context also listens for are left alone: core.outbox_expand makes rows of them first.
create function core.outbox_lock_claimable(
    p_generation bigint, p_context text, p_event_types text[], p_channels text[], p_limit int,
    p_from timestamptz, p_due_from timestamptz)
returns tid[]
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    -- A variable is a bound of the index scan. The function itself would be a filter on each row that waits.
    v_now    timestamptz := clock_timestamp();
    v_shared text[];
    v_places tid[];
begin
    v_shared := array(
        select s.event_type from core.subscriptions s
        where s.generation = p_generation and s.event_type = any(p_event_types) and s.context <> p_context);

    v_places := array(
        select o.ctid from core.outbox o
        where o.generation = p_generation and o.available_at > o.created_at
          and o.available_at >= p_due_from and o.available_at <= v_now
          and o.status = 'pending' and o.deleted_at is null
          and o.event_type = any(p_event_types)
          and (o.target = p_context or o.target is null and o.event_type <> all(v_shared))
          and (p_channels is null or o.channel = any(p_channels))
        order by o.available_at
        limit p_limit
        for update skip locked);

    if cardinality(v_places) < p_limit then
        v_places := v_places || array(
            select o.ctid from core.outbox o
            where o.generation = p_generation and o.created_at >= p_from
              and o.available_at <= o.created_at
              and o.status = 'pending' and o.deleted_at is null
              and o.event_type = any(p_event_types)
              and (o.target = p_context or o.target is null and o.event_type <> all(v_shared))
              and (p_channels is null or o.channel = any(p_channels))
            order by o.created_at
            limit p_limit - cardinality(v_places)
            for update skip locked);
    end if;
    return v_places;
end
$$;
revoke all on function core.outbox_lock_claimable(bigint, text, text[], text[], int, timestamptz, timestamptz)
    from public;

-- Leased flow. Marks the rows 'in_flight' under p_token, the fence of everything that follows. The lease ends
-- some time after claimed_at: how long is the reaper's argument; core.outbox_extend renews it.
create function core.outbox_claim(
    p_worker text, p_token uuid, p_generation bigint, p_context text, p_event_types text[],
    p_channels text[], p_limit int, p_from timestamptz, p_due_from timestamptz)
returns setof core.claimed_row
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
    v_places tid[] := core.outbox_lock_claimable(
        p_generation, p_context, p_event_types, p_channels, p_limit, p_from, p_due_from);
begin
    return query
        update core.outbox o
        set status = 'in_flight', claim_token = p_token, claimed_by = p_worker, claimed_at = clock_timestamp()
        where o.ctid = any(v_places)
        returning o.id, coalesce(o.event_id, o.id), o.event_type, o.event_version, o.occurred_at, o.source,
            o.target, o.domain_id, o.payload, o.idempotency_key, o.trace_context, o.content_class, o.channel,
            o.attempts, o.available_at, o.created_at, o.ctid;
end
$$;
revoke all on function core.outbox_claim(text, uuid, bigint, text, text[], text[], int, timestamptz, timestamptz)
    from public;

-- Transactional flow. Changes nothing: the rows stay 'pending', locked until the caller's transaction ends, and
-- are settled in that same transaction by core.outbox_settle_locked. The lock is the fence.
create function core.outbox_claim_locked(
    p_generation bigint, p_context text, p_event_types text[], p_channels text[], p_limit int,
    p_from timestamptz, p_due_from timestamptz)
returns setof core.claimed_row
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
    v_places tid[] := core.outbox_lock_claimable(
        p_generation, p_context, p_event_types, p_channels, p_limit, p_from, p_due_from);
begin
    return query
        select o.id, coalesce(o.event_id, o.id), o.event_type, o.event_version, o.occurred_at, o.source,
            o.target, o.domain_id, o.payload, o.idempotency_key, o.trace_context, o.content_class, o.channel,
            o.attempts, o.available_at, o.created_at, o.ctid
        from core.outbox o
        where o.ctid = any(v_places);
end
$$;
revoke all on function core.outbox_claim_locked(bigint, text, text[], text[], int, timestamptz, timestamptz)
    from public;

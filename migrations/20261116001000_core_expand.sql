-- Broadcasts: a row has one status, so a broadcast with several listeners becomes one row for each of them.

-- Expands up to p_limit broadcast rows of these event types for which more than one context listens at the
-- generation. The copies have ids of their own, the event id and the key of the original; the original is
-- delivered. Bounds as for a claim. Returns how many rows it expanded.
create function core.outbox_expand(
    p_generation bigint, p_event_types text[], p_limit int, p_from timestamptz, p_due_from timestamptz)
returns int
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_shared text[];
    v_places tid[];
begin
    v_shared := array(
        select s.event_type from core.subscriptions s
        where s.generation = p_generation and s.event_type = any(p_event_types)
        group by s.event_type having count(*) > 1);
    if v_shared = '{}' then
        return 0;
    end if;

    v_places := array(
        select o.ctid from core.outbox o
        where o.generation = p_generation and o.available_at > o.created_at
          and o.available_at >= p_due_from and o.available_at <= clock_timestamp()
          and o.status = 'pending' and o.deleted_at is null
          and o.target is null and o.event_type = any(v_shared)
        order by o.available_at limit p_limit
        for update skip locked);
    v_places := v_places || array(
        select o.ctid from core.outbox o
        where o.generation = p_generation and o.created_at >= p_from and o.available_at <= o.created_at
          and o.status = 'pending' and o.deleted_at is null
          and o.target is null and o.event_type = any(v_shared)
        order by o.created_at limit p_limit - cardinality(v_places)
        for update skip locked);
    if v_places = '{}' then
        return 0;
    end if;

    -- The copies notify like any insert, even if the original was quiet.
    insert into core.outbox (id, event_id, event_type, event_version, occurred_at, source, target,
        content_class, channel, generation, domain_id, payload, idempotency_key, trace_context)
    select core.uuid_v7(), coalesce(o.event_id, o.id), o.event_type, o.event_version, o.occurred_at, o.source,
        s.context, o.content_class, o.channel, o.generation, o.domain_id, o.payload, o.idempotency_key,
        o.trace_context
    from core.outbox o
    join core.subscriptions s on s.generation = o.generation and s.event_type = o.event_type
    where o.ctid = any(v_places);

    update core.outbox o
        set status = 'delivered', delivered_at = clock_timestamp(),
            available_at = least(o.available_at, o.created_at)
        where o.ctid = any(v_places);
    return cardinality(v_places);
end
$$;
revoke all on function core.outbox_expand(bigint, text[], int, timestamptz, timestamptz) from public;

-- Broadcasts: a row has one status, so a broadcast with several listeners becomes one row for each of them.

-- Expands up to p_limit broadcast rows of these event types for which more than one context listens at the
-- generation. The copies have ids of their own, the event id and the key of the original; the original is
-- delivered. Bounds as for a claim. Returns how many rows it expanded.
--
-- Who listens is read once: each statement sees what has committed until then, and if all listeners left between
-- two looks, the original would be delivered to nobody.
create function core.outbox_expand(
    p_generation bigint, p_event_types text[], p_limit int, p_from timestamptz, p_due_from timestamptz)
returns int
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_now      timestamptz := clock_timestamp();   -- a bound of the index scan, as in a claim
    v_types    text[];   -- Side by side: the event type,
    v_contexts text[];   -- and one context that listens for it.
    v_places   tid[];
begin
    select array_agg(s.event_type), array_agg(s.context) into v_types, v_contexts
        from (select l.event_type, l.context, count(*) over (partition by l.event_type) as listeners
              from core.subscriptions l
              where l.generation = p_generation and l.event_type = any(p_event_types)) s
        where s.listeners > 1;
    if v_types is null then
        return 0;
    end if;

    v_places := array(
        select o.ctid from core.outbox o
        where o.generation = p_generation and o.available_at > o.created_at
          and o.available_at >= p_due_from and o.available_at <= v_now
          and o.status = 'pending' and o.deleted_at is null
          and o.target is null and o.event_type = any(v_types)
        order by o.available_at limit p_limit
        for update skip locked);
    v_places := v_places || array(
        select o.ctid from core.outbox o
        where o.generation = p_generation and o.created_at >= p_from and o.available_at <= o.created_at
          and o.status = 'pending' and o.deleted_at is null
          and o.target is null and o.event_type = any(v_types)
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
    join unnest(v_types, v_contexts) as s (event_type, context) on s.event_type = o.event_type
    where o.ctid = any(v_places);

    update core.outbox o
        set status = 'delivered', delivered_at = clock_timestamp(),
            available_at = least(o.available_at, o.created_at)
        where o.ctid = any(v_places);
    return cardinality(v_places);
end
$$;
revoke all on function core.outbox_expand(bigint, text[], int, timestamptz, timestamptz) from public;

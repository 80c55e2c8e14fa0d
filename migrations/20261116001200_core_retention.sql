-- Retention: tombstone, wait, delete, in small batches that each are a transaction of the caller's.
--
-- Both sweeps look at a bounded stretch of old rows and tell where to go on, so that a pass over many batches
-- looks at each row once. The clock of a row starts when it is delivered or discarded: pending and in-flight
-- rows, and dead letters nobody discarded, are never swept.

-- Looks at p_rows rows of a generation from p_from on. Returns what it did and where to go on (null: done).
create function core.sweep_outbox(
    p_generation bigint, p_from timestamptz default '-infinity',
    p_active interval default '45 days', p_grace interval default '7 days', p_rows int default 1000,
    out tombstoned int, out deleted int, out next_from timestamptz)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    -- What was delivered before it was also created before it.
    v_cutoff timestamptz := now() - p_active;
    v_until  timestamptz;
begin
    v_until := (select o.created_at from core.outbox o
                where o.generation = p_generation and o.created_at >= p_from and o.created_at < v_cutoff
                order by o.created_at offset p_rows limit 1);
    if v_until <= p_from then   -- more rows of one instant than p_rows: take them all
        v_until := p_from + interval '1 microsecond';
    end if;
    next_from := v_until;

    delete from core.outbox o
        where o.ctid = any(array(
            select r.ctid from core.outbox r
            where r.generation = p_generation and r.created_at >= p_from
              and r.created_at < coalesce(v_until, v_cutoff)
              and (r.status = 'delivered' and r.deleted_at < now() - p_grace
                   or r.status = 'failed' and r.deleted_at < v_cutoff - p_grace)
            for update skip locked));
    get diagnostics deleted = row_count;

    update core.outbox o set deleted_at = now()
        where o.ctid = any(array(
            select r.ctid from core.outbox r
            where r.generation = p_generation and r.created_at >= p_from
              and r.created_at < coalesce(v_until, v_cutoff)
              and r.status = 'delivered' and r.delivered_at < v_cutoff and r.deleted_at is null
            for update skip locked));
    get diagnostics tombstoned = row_count;
end
$$;
revoke all on function core.sweep_outbox(bigint, timestamptz, interval, interval, int) from public;

-- The same for dedup records, by blocks of the table: old ones lie together, and event_handled_age skips the
-- young. p_active must exceed the outbox's active and grace time together, or a replay could run twice; the
-- caller's config is checked for that.
create function core.sweep_event_handled(
    p_active interval default '60 days', p_grace interval default '7 days', p_rows int default 5000,
    out tombstoned int, out deleted int)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    delete from core.event_handled h
        where h.ctid = any(array(
            select r.ctid from core.event_handled r
            where r.handled_at < now() - p_active - p_grace and r.deleted_at < now() - p_grace
            limit p_rows for update skip locked));
    get diagnostics deleted = row_count;

    update core.event_handled h set deleted_at = now()
        where h.ctid = any(array(
            select r.ctid from core.event_handled r
            where r.handled_at < now() - p_active and r.deleted_at is null
            limit p_rows for update skip locked));
    get diagnostics tombstoned = row_count;
end
$$;
revoke all on function core.sweep_event_handled(interval, interval, int) from public;

-- The generations that have rows: one index probe for each, however many rows there are.
create function core.outbox_generations() returns setof bigint
    language sql stable security definer
    set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
    with recursive g (generation) as (
        (select o.generation from core.outbox o order by o.generation limit 1)
        union all
        select (select o.generation from core.outbox o where o.generation > g.generation
                order by o.generation limit 1)
        from g where g.generation is not null)
    select g.generation from g where g.generation is not null
$$;
revoke all on function core.outbox_generations() from public;

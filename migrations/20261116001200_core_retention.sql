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

-- The same for dedup records, in the order of their place in the table. From a place on, p_from, it looks at 1000
-- pages at most and finds p_rows at most, and returns where to go on (null: done): a pass over many batches reads
-- each page once. Without one it starts at the beginning and reads until it has found p_rows.
-- p_active must exceed the outbox's active and grace time together, or a replay could run twice; the caller's
-- config is checked for that.
create function core.sweep_event_handled(
    p_active interval default '60 days', p_grace interval default '7 days', p_rows int default 5000,
    p_from tid default null,
    out tombstoned int, out deleted int, out next_from tid)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    c_pages  constant bigint := 1000;
    v_cutoff timestamptz := now() - p_active;
    v_size   bigint := pg_relation_size('core.event_handled') / current_setting('block_size')::int;
    v_until  bigint := v_size;   -- the first page that is not looked at
    v_places tid[] := '{}';
begin
    tombstoned := 0;
    deleted := 0;
    if p_from is not null then
        v_until := least(v_size, (p_from::text::point)[0]::bigint + c_pages);
    end if;
    if p_from is null or p_from < '(1,0)' then
        -- In a table that is young altogether event_handled_age knows that there is nothing to look for.
        perform set_config('enable_bitmapscan', 'on', true);   -- the function's own setting, gone with it
        if not exists (select from core.event_handled r where r.handled_at < v_cutoff) then
            return;
        end if;
        perform set_config('enable_bitmapscan', 'off', true);
    end if;

    v_places := array(
        select r.ctid from core.event_handled r
        where r.ctid >= coalesce(p_from, '(0,0)') and r.ctid < format('(%s,0)', v_until)::tid
          and r.handled_at < v_cutoff
          and (r.deleted_at is null
               or r.deleted_at < now() - p_grace and r.handled_at < v_cutoff - p_grace)
        limit p_rows
        for update skip locked);
    if cardinality(v_places) = p_rows then
        next_from := v_places[p_rows];
    elsif v_until < v_size then
        next_from := format('(%s,0)', v_until)::tid;
    end if;

    delete from core.event_handled h where h.ctid = any(v_places) and h.deleted_at is not null;
    get diagnostics deleted = row_count;
    update core.event_handled h set deleted_at = now() where h.ctid = any(v_places) and h.deleted_at is null;
    get diagnostics tombstoned = row_count;
end
$$;
revoke all on function core.sweep_event_handled(interval, interval, int, tid) from public;

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

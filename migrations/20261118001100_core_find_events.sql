-- Events in any state, for people who look: one page, oldest first, at a bounded cost.

-- An event as a list shows it. No payload: a list may be read by many, and of rows of 256 KiB each.
create type core.listed_event as (
    id              uuid,
    event_id        uuid,
    event_type      text,
    event_version   int,
    source          text,
    target          text,
    generation      bigint,
    channel         text,
    domain_id       uuid,
    idempotency_key text,
    status          text,
    attempts        int,
    available_at    timestamptz,
    handler         text,
    last_error      text,
    worker          text,
    claimed_at      timestamptz,
    occurred_at     timestamptz,
    created_at      timestamptz,
    delivered_at    timestamptz,
    failed_at       timestamptz,
    -- Of the last row alone, whose other columns are null: the search ended here, and there may be more behind it.
    looked_until    timestamptz
);

-- Events of one status that match all that is given, in the order of (created_at, id), from a place on: what the last
-- row seen had. p_due: true for those that could be claimed now, false for those that wait for their time. Deleted
-- rows, by an operator or by retention, are not listed.
--
-- Which index serves which status:
--   pending, in_flight  outbox_in_order from the floor up, and all of outbox_due: what is unsettled, and little else
--   pending, p_due = f  outbox_due alone
--   failed              outbox_failed: dead letters alone
--   delivered           outbox_in_order from p_created_from up
-- Of outbox_in_order at most about p_rows entries are read, in growing steps, so that a page that fills up at once
-- reads little. A search that ends there says so in a last row, which has looked_until alone; go on with that time
-- and the greatest id.
create function core.find_events(
    p_status text default 'pending', p_event_type text default null, p_source text default null,
    p_target text default null, p_domain_id uuid default null, p_idempotency_key text default null,
    p_generation bigint default null, p_created_from timestamptz default null,
    p_created_until timestamptz default null, p_due boolean default null, p_limit int default 50,
    p_after_created_at timestamptz default null, p_after_id uuid default null, p_rows int default 100000)
returns setof core.listed_event
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off
    set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
    c_last_id  constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    v_now         timestamptz := clock_timestamp();   -- a bound of the index scan, as in a claim
    v_end         timestamptz := coalesce(p_created_until, 'infinity');
    v_after_at    timestamptz := coalesce(p_after_created_at, '-infinity');
    v_after_id    uuid := coalesce(p_after_id, c_first_id);
    v_open        boolean := p_status in ('pending', 'in_flight');
    v_due_from    timestamptz := case when p_due is false then v_now else '-infinity' end;
    v_due_until   timestamptz := case when p_due then v_now else 'infinity' end;
    v_in_order    boolean := p_status = 'delivered' or v_open and p_due is distinct from false;
    v_generations bigint[];
    v_floors      timestamptz[];
    v_apart       uuid[];         -- found through outbox_due or outbox_failed
    v_found       uuid[] := '{}';
    v_until       timestamptz;
    v_generation  bigint;
    v_floor       timestamptz;
    v_first       timestamptz;
    v_step        int := 2000;    -- entries of outbox_in_order to read next
    v_left        int := greatest(p_rows, 1);
begin
    if p_status not in ('pending', 'in_flight', 'delivered', 'failed') then
        raise exception 'no event is %', quote_literal(p_status) using errcode = '22023',
            hint = 'The statuses are pending, in_flight, delivered and failed.';
    end if;
    if p_created_from > v_after_at then
        v_after_at := p_created_from;
        v_after_id := c_first_id;
    end if;
    select array_agg(g.generation), array_agg(
            case when v_open then core.outbox_floor_now(g.generation) else '-infinity' end)
        into v_generations, v_floors
        from core.outbox_generations() as g (generation)
        where p_generation is null or g.generation = p_generation;

    -- OFFSET 0 keeps the filters outside, so that no other index looks better for one of them.
    v_apart := array(
        select e.id from (
            select d.* from unnest(v_generations) as g (generation)
            cross join lateral (
                select * from core.outbox o
                where o.generation = g.generation and o.available_at > o.created_at
                  and o.available_at > v_due_from and o.available_at <= v_due_until
                order by o.available_at offset 0) d
            where v_open
            union all
            select f.* from (select * from core.outbox o where o.failed_at is not null
                             order by o.failed_at offset 0) f
            where p_status = 'failed' and (p_generation is null or f.generation = p_generation)) e
        where e.status = p_status and e.deleted_at is null
          and (e.created_at, e.id) > (v_after_at, v_after_id) and e.created_at <= v_end
          and (p_event_type is null or e.event_type = p_event_type)
          and (p_source is null or e.source = p_source)
          and (p_target is null or e.target = p_target)
          and (p_domain_id is null or e.domain_id = p_domain_id)
          and (p_idempotency_key is null or e.idempotency_key = p_idempotency_key)
        order by e.created_at, e.id limit p_limit);
    if not v_in_order then
        v_found := v_apart;
    end if;

    while v_in_order and cardinality(v_found) < p_limit loop
        -- As far as v_step entries of each generation reach: all of it up to there is looked at next. A generation that
        -- begins behind that, as those of later deployments do, is not read at all.
        v_until := v_end;
        for v_generation, v_floor, v_first in
            select g.generation, g.floor, s.created_at
            from unnest(v_generations, v_floors) as g (generation, floor)
            cross join lateral (
                select o.created_at from core.outbox o
                where o.generation = g.generation and o.created_at > greatest(g.floor, v_after_at)
                order by o.created_at limit 1) s
            order by s.created_at
        loop
            exit when v_first > v_until;
            v_until := least(v_until, (
                select o.created_at from core.outbox o
                where o.generation = v_generation and o.created_at > v_first
                order by o.created_at offset least(v_step, greatest(v_left, 1)) limit 1));
            v_left := v_left - v_step;
        end loop;
        v_found := v_found || array(
            select e.id from (
                select o.id, o.created_at from unnest(v_generations, v_floors) as g (generation, floor)
                cross join lateral (
                    select o.id, o.created_at from core.outbox o
                    where o.generation = g.generation and o.created_at >= greatest(g.floor, v_after_at)
                      and o.created_at <= v_until and (o.created_at, o.id) > (v_after_at, v_after_id)
                      and (not v_open or o.available_at <= o.created_at)
                      and o.status = p_status and o.deleted_at is null
                      and (p_event_type is null or o.event_type = p_event_type)
                      and (p_source is null or o.source = p_source)
                      and (p_target is null or o.target = p_target)
                      and (p_domain_id is null or o.domain_id = p_domain_id)
                      and (p_idempotency_key is null or o.idempotency_key = p_idempotency_key)
                    order by o.created_at, o.id limit p_limit - cardinality(v_found)) o
                union all
                select o.id, o.created_at from core.outbox o
                where o.id = any(v_apart) and (o.created_at, o.id) > (v_after_at, v_after_id)
                  and o.created_at <= v_until) e
            order by e.created_at, e.id limit p_limit - cardinality(v_found));
        exit when v_until >= v_end or v_left <= 0;
        v_after_at := v_until;
        v_after_id := c_last_id;
        v_step := v_step * 4;
    end loop;

    return query
        select o.id, coalesce(o.event_id, o.id), o.event_type, o.event_version, o.source, o.target, o.generation,
            o.channel, o.domain_id, o.idempotency_key, o.status, o.attempts, o.available_at, o.last_handler,
            o.last_error, o.claimed_by, o.claimed_at, o.occurred_at, o.created_at, o.delivered_at, o.failed_at,
            null::timestamptz
        from core.outbox o where o.id = any(v_found) order by o.created_at, o.id;
    if v_in_order and cardinality(v_found) < p_limit and v_until < v_end then
        return next row(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                        null, null, null, null, null, v_until)::core.listed_event;
    end if;
end
$$;
revoke all on function core.find_events(text, text, text, text, uuid, text, bigint, timestamptz, timestamptz, boolean,
    int, timestamptz, uuid, int) from public;

-- The rows of the same event beside this one: the copies of a broadcast, or the broadcast and the other copies. No index
-- knows them by their event. But one call of core.outbox_expand wrote them all, and delivered the broadcast right after:
-- so they were created within seconds of that. The window is read from there outwards, and no further than p_rows
-- entries of outbox_in_order on either side.
create function core.outbox_copies(p_id uuid, p_window interval default '10 seconds', p_rows int default 50000)
returns table (id uuid, target text, generation bigint, status text, attempts int, created_at timestamptz,
               delivered_at timestamptz, failed_at timestamptz, deleted_at timestamptz)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off
    set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
    v_event uuid;
    v_at    timestamptz;
    v_from  timestamptz;
    v_until timestamptz;
begin
    select coalesce(o.event_id, o.id), case when o.event_id is null then o.delivered_at else o.created_at end
        into v_event, v_at
        from core.outbox o
        where o.id = p_id and (o.event_id is not null or o.target is null and o.status = 'delivered');
    if v_at is null then
        return;   -- No broadcast, or one that is not expanded.
    end if;
    v_from := v_at - p_window;
    v_until := v_at + p_window;
    return query
        select o.id, o.target, o.generation, o.status, o.attempts, o.created_at, o.delivered_at, o.failed_at,
            o.deleted_at
        from core.outbox o where o.id = v_event and o.id <> p_id
        union all
        (select w.id, w.target, w.generation, w.status, w.attempts, w.created_at, w.delivered_at, w.failed_at,
             w.deleted_at
         from core.outbox_generations() as g (generation)
         cross join lateral (
             (select * from core.outbox o
              where o.generation = g.generation and o.created_at <= v_at and o.created_at >= v_from
              order by o.created_at desc limit p_rows)
             union all
             (select * from core.outbox o
              where o.generation = g.generation and o.created_at > v_at and o.created_at <= v_until
              order by o.created_at limit p_rows)) w
         where w.event_id = v_event and w.id <> p_id
         order by w.target);
end
$$;
revoke all on function core.outbox_copies(uuid, interval, int) from public;

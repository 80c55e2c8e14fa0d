-- The floor of a generation: below it, no unsettled ordinary row is left. See core.outbox_floors.

-- The first unsettled ordinary row in [p_from, p_before).
create function core.outbox_first_open(p_generation bigint, p_from timestamptz, p_before timestamptz)
returns timestamptz
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
begin
    return (select o.created_at from core.outbox o
            where o.generation = p_generation and o.created_at >= p_from and o.created_at < p_before
              and o.available_at <= o.created_at and o.deleted_at is null
              and o.status in ('pending', 'in_flight')
            order by o.created_at limit 1);
end
$$;
revoke all on function core.outbox_first_open(bigint, timestamptz, timestamptz) from public;

-- From where on to look for every unsettled ordinary row, whoever moves the floor, and even if nobody does any
-- more: with what was written by late transactions that have ended since.
create function core.outbox_floor_now(p_generation bigint) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select coalesce((
        select least(g.floor, (select min(l.since) from unnest(g.late_xids, g.late_from) as l (xid, since)
                               where pg_visible_in_snapshot(l.xid, pg_current_snapshot())))
        from core.outbox_floors g where g.generation = p_generation), '-infinity')
$$;
revoke all on function core.outbox_floor_now(bigint) from public;

-- Moves the floor up as far as is safe and returns it. Call it about once a second; concurrent calls do not
-- wait for each other. p_patience: how long the floor waits for a transaction that is still running, and for a
-- row that is still unsettled in the midst of settled ones, before it moves on without them.
create function core.outbox_advance_floor(p_generation bigint, p_patience interval default '5 seconds')
returns timestamptz
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    c_margin  constant interval := '1 second';
    f         core.outbox_floors;
    -- This call's mark. now() is earlier than our xid, whatever the isolation level; whoever gets a later xid
    -- reads its clock later still, unless the clock went back. (A snapshot's xmax would not do: it follows the
    -- last transaction that ended, so older ones that still run can lie above it.)
    v_now     timestamptz := now();
    v_clock   timestamptz;
    v_xid     xid8 := pg_current_xact_id();
    v_snap    pg_snapshot;
    v_waiting xid8[];
    v_total   int;
    v_open    int;
    v_last    timestamptz;
begin
    insert into core.outbox_floors (generation) select p_generation
        where not exists (select from core.outbox_floors g where g.generation = p_generation)
        on conflict do nothing;
    select * into f from core.outbox_floors g where g.generation = p_generation for update skip locked;
    if not found then
        return (select g.floor from core.outbox_floors g where g.generation = p_generation);
    elsif f.mark_xid = v_xid then
        return f.floor;   -- a second call in one transaction: who runs is only known below ended transactions
    end if;
    v_snap := pg_current_snapshot();
    v_clock := clock_timestamp();
    v_now := least(v_now, v_clock);

    -- The clock went back (a failover, a correction by hand): rows are being made below the mark, since at
    -- most the last call, by late transactions too. Steps too small to be seen here are covered by c_margin.
    if v_clock < f.mark_at then
        v_last := v_now - interval '10 seconds';
        update core.outbox_floors g
            set floor = least(f.floor, v_last), mark_at = v_now, mark_xid = v_xid,
                late_from = array(select least(l.since, v_last)
                                  from unnest(f.late_from) with ordinality as l (since, place) order by l.place)
            where g.generation = p_generation
            returning g.floor into f.floor;
        return f.floor;
    elsif v_now < f.mark_at then
        return f.floor;   -- we began before the call that made the mark, and only now get to it
    end if;

    -- Late transactions that have ended since: their rows are anywhere above where they were passed by. (The
    -- rows need no other treatment: the floor goes back, and comes up again as they are settled.)
    select min(l.since) into v_last from unnest(f.late_xids, f.late_from) as l (xid, since)
        where pg_visible_in_snapshot(l.xid, v_snap);
    if v_last is not null then
        f.floor := least(f.floor, v_last);
        select coalesce(array_agg(l.xid), '{}'), coalesce(array_agg(l.since), '{}')
            into f.late_xids, f.late_from
            from unnest(f.late_xids, f.late_from) as l (xid, since)
            where not pg_visible_in_snapshot(l.xid, v_snap);
    end if;

    -- Who could still commit a row below the mark?
    v_waiting := array(select x from pg_snapshot_xip(v_snap) x
                       where x < f.mark_xid and x <> all(f.late_xids));
    if v_waiting <> '{}' and v_now > f.mark_at + p_patience then
        f.late_from := f.late_from || array_fill(f.floor, array[cardinality(v_waiting)]);
        f.late_xids := f.late_xids || v_waiting;
        v_waiting := '{}';
    end if;

    if v_waiting = '{}' then
        -- A few rows that stay unsettled while thousands around them are done (a handler that takes minutes, a
        -- row nobody listens for) move to outbox_due. A true backlog stays where it is: it costs no scan.
        for i in 1..20 loop
            select count(*), count(*) filter (where w.open), max(w.created_at)
                into v_total, v_open, v_last
                from (select o.created_at, o.available_at <= o.created_at and o.deleted_at is null
                             and o.status in ('pending', 'in_flight') as open
                      from core.outbox o
                      where o.generation = p_generation and o.created_at >= f.floor
                        and o.created_at < least(f.mark_at - c_margin, v_now - p_patience)
                      order by o.created_at limit 5000) w;
            exit when v_total < 5000 or v_open * 10 > v_total or v_last = f.floor;
            if v_open > 0 then
                update core.outbox o set available_at = core.outbox_due_at(o.created_at, interval '0')
                    where o.ctid = any(array(
                        select r.ctid from core.outbox r
                        where r.generation = p_generation and r.created_at between f.floor and v_last
                          and r.available_at <= r.created_at and r.deleted_at is null
                          and r.status in ('pending', 'in_flight')
                        for update skip locked));
            end if;
            -- A row that was locked just now still holds the floor.
            v_last := coalesce(core.outbox_first_open(p_generation, f.floor, v_last), v_last);
            exit when v_last = f.floor;
            f.floor := v_last;
        end loop;

        f.floor := coalesce(core.outbox_first_open(p_generation, f.floor, f.mark_at - c_margin),
                            greatest(f.floor, f.mark_at - c_margin));
        f.mark_at := v_now;
        f.mark_xid := v_xid;
    end if;

    update core.outbox_floors g
        set floor = f.floor, mark_at = f.mark_at, mark_xid = f.mark_xid,
            late_xids = f.late_xids, late_from = f.late_from
        where g.generation = p_generation;
    return f.floor;
end
$$;
revoke all on function core.outbox_advance_floor(bigint, interval) from public;

-- The safety net under the invariant, for what it cannot see: rows restored by hand with an old created_at, a
-- clock set back while nobody ran. Looks at p_rows rows from p_from on, moves unsettled ordinary rows below the
-- floor to outbox_due, and returns how many it found and where to go on (null: done). Once an hour is plenty.
create function core.outbox_recheck(
    p_generation bigint, p_from timestamptz default '-infinity', p_rows int default 50000,
    out recovered int, out next_from timestamptz)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_floor timestamptz := (select g.floor from core.outbox_floors g where g.generation = p_generation);
begin
    next_from := (select o.created_at from core.outbox o
                  where o.generation = p_generation and o.created_at >= p_from and o.created_at < v_floor
                  order by o.created_at offset p_rows limit 1);
    if next_from <= p_from then   -- more rows of one instant than p_rows: take them all
        next_from := p_from + interval '1 microsecond';
    end if;
    update core.outbox o set available_at = core.outbox_due_at(o.created_at, interval '0')
        where o.ctid = any(array(
            select r.ctid from core.outbox r
            where r.generation = p_generation
              and r.created_at >= p_from and r.created_at < coalesce(next_from, v_floor)
              and r.available_at <= r.created_at and r.deleted_at is null
              and r.status in ('pending', 'in_flight')
            order by r.created_at
            for update skip locked));
    get diagnostics recovered = row_count;
end
$$;
revoke all on function core.outbox_recheck(bigint, timestamptz, int) from public;

-- When the next waiting row of a generation is due; null if none waits. Rows that have been due for less than
-- p_overdue count too: they may have become so between a claim and this look.
create function core.outbox_next_due(p_generation bigint, p_overdue interval default '0')
returns timestamptz
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_after timestamptz := clock_timestamp() - p_overdue;   -- a bound of the index scan, as in a claim
begin
    return (select o.available_at from core.outbox o
            where o.generation = p_generation and o.available_at > o.created_at
              and o.available_at > v_after and o.status = 'pending' and o.deleted_at is null
            order by o.available_at limit 1);
end
$$;
revoke all on function core.outbox_next_due(bigint, interval) from public;

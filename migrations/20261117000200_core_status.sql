-- What status, gauges and metrics read, at a price that does not grow with the number of those who look.
--
-- Counting the backlog takes a look at each unsettled row. So the count is kept, and shared: whoever needs one that
-- is younger takes it, one at a time, and everybody else reads what is there. And it is limited by what it costs: a
-- count that took t is followed by none for 200 t, half a per cent of one core, however large the backlog and however
-- many look at it; but for twenty minutes at most, or one slow count would leave everybody with old figures for hours.
-- Every reading knows its age.

create type core.backlog_group as (
    generation bigint,
    status     text,
    channel    text,
    event_type text,
    source     text,
    target     text,
    events     bigint,
    waiting    bigint,
    oldest_at  timestamptz,
    unrouted   boolean
);

create type core.dead_letter_group as (
    generation bigint,
    event_type text,
    events     bigint,
    oldest_at  timestamptz,
    newest_at  timestamptz
);

-- At most one row. Unlogged: it is small, it is written often, and after a crash it is counted anew. Taken_at is when
-- the groups were counted; tried_at and took are of the last attempt, which may have been broken off by a timeout.
create unlogged table core.backlog_reading (
    only_one     boolean                  primary key default true,
    taken_at     timestamptz,
    tried_at     timestamptz              not null,
    took         interval                 not null,
    groups       core.backlog_group[]     not null default '{}',
    dead_letters core.dead_letter_group[] not null default '{}',

    constraint backlog_reading_is_only_one check (only_one)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100);

-- Sees to it that the stored reading is not older than p_max_age, as far as the limit allows; p_exact counts in any
-- case. Says how old it is now; no row: it is being counted for the first time by somebody else. What was counted is
-- in the views reading_*. In a transaction that may not write nothing is counted.
create function core.outbox_reading(p_max_age interval default '30 seconds', p_exact boolean default false)
returns table (taken_at timestamptz, age_seconds float8, took_seconds float8, exact boolean)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off
    set max_parallel_workers_per_gather = 0   -- or the time it took would not be what it cost
as $$
declare
    c_lock_class constant int := 1668637026;   -- 'cueb'; workers' keys are above 0, the sweeper's is 0
    c_lock_key   constant int := -1;
    c_groups     constant int := 500;          -- what is beyond is one group, of its generation and status
    c_pause_max  constant interval := '20 minutes';
    v_from       timestamptz;
    v_groups     core.backlog_group[];
    v_dead       core.dead_letter_group[];
    v_counted    boolean := false;
    v_old        core.backlog_reading;
begin
    if pg_is_in_recovery() then
        return;                                -- a standby has no unlogged tables
    end if;
    if current_setting('transaction_read_only')::boolean then
        p_exact := false;
    elsif p_exact then
        perform pg_advisory_xact_lock(c_lock_class, c_lock_key);
    end if;

    select r.* into v_old from core.backlog_reading r;
    if not current_setting('transaction_read_only')::boolean and (p_exact or (
           (v_old.tried_at is null
            or clock_timestamp() not between v_old.tried_at
               and v_old.tried_at + greatest(p_max_age, least(200 * v_old.took, c_pause_max)))
           and pg_try_advisory_xact_lock(c_lock_class, c_lock_key))) then
        -- Somebody may have counted between the look and the lock.
        select r.* into v_old from core.backlog_reading r;
        v_from := clock_timestamp();
        if p_exact or v_old.tried_at is null
           or v_from not between v_old.tried_at
              and v_old.tried_at + greatest(p_max_age, least(200 * v_old.took, c_pause_max)) then
            begin
                v_groups := array(
                    with counted as materialized (
                        select b.*, row_number() over (order by b.events desc, b.oldest_at) <= c_groups as named,
                            -- Said before they are put together: of (others) nobody could tell.
                            b.status = 'pending' and not exists (
                                select from core.subscriptions s
                                where s.generation = b.generation and s.event_type = b.event_type
                                  and (b.target is null or s.context = b.target)) as unrouted
                        from core.outbox_backlog() b)
                    select row(c.generation, c.status, g.channel, g.event_type, g.source, g.target,
                               sum(c.events)::bigint, sum(c.waiting)::bigint, min(c.oldest_at),
                               c.unrouted)::core.backlog_group
                    from counted c
                    cross join lateral (
                        select c.channel, c.event_type, c.source, c.target where c.named
                        union all
                        select '(others)', '(others)', '(others)', null where not c.named) g
                    group by c.generation, c.status, g.channel, g.event_type, g.source, g.target, c.unrouted
                    order by c.generation, c.status, g.channel, g.event_type, g.source, g.target, c.unrouted);
                v_dead := array(
                    with counted as materialized (
                        select d.*, row_number() over (order by d.events desc, d.oldest_at) <= c_groups as named
                        from (
                            select o.generation, o.event_type, count(*) as events, min(o.failed_at) as oldest_at,
                                max(o.failed_at) as newest_at
                            from core.outbox o
                            where o.failed_at is not null and o.status = 'failed' and o.deleted_at is null
                            group by 1, 2) d)
                    select row(c.generation, g.event_type, sum(c.events)::bigint, min(c.oldest_at),
                               max(c.newest_at))::core.dead_letter_group
                    from counted c
                    cross join lateral (select case when c.named then c.event_type else '(others)' end) g (event_type)
                    group by c.generation, g.event_type
                    order by c.generation, g.event_type);
                v_counted := true;
            exception when query_canceled then
                -- It costs what it has cost: without this a timeout shorter than the count would make it endless.
                v_counted := false;
            end;
            insert into core.backlog_reading as r (taken_at, tried_at, took, groups, dead_letters)
            values (case when v_counted then v_from end, v_from, clock_timestamp() - v_from,
                    coalesce(v_groups, '{}'), coalesce(v_dead, '{}'))
            on conflict (only_one) do update
                set tried_at = excluded.tried_at, took = excluded.took,
                    taken_at = case when v_counted then excluded.taken_at else r.taken_at end,
                    groups = case when v_counted then excluded.groups else r.groups end,
                    dead_letters = case when v_counted then excluded.dead_letters else r.dead_letters end;
        end if;
    end if;
    return query
        select r.taken_at, greatest(extract(epoch from clock_timestamp() - r.taken_at), 0)::float8,
            extract(epoch from r.took)::float8, v_counted
        from core.backlog_reading r where r.taken_at is not null;
end
$$;
revoke all on function core.outbox_reading(interval, boolean) from public;

-- The stored reading, as the views metrics_* have it counted anew. What is under '(others)' has no type of its own.
create view core.reading_backlog as
    select g.generation, g.status, g.channel, g.event_type, g.source, g.target, g.events, g.waiting, g.oldest_at,
        extract(epoch from clock_timestamp() - g.oldest_at)::float8 as oldest_age_seconds, r.taken_at, g.unrouted
    from core.backlog_reading r cross join lateral unnest(r.groups) g;

create view core.reading_stranded as
    select b.generation, d.status as deployment, d.label, b.status,
        sum(b.events)::bigint as events, min(b.oldest_at) as oldest_at, b.taken_at
    from core.reading_backlog b
    join core.deployments d on d.generation = b.generation
    where d.status in ('draining', 'retired')
    group by b.generation, d.status, d.label, b.status, b.taken_at;

create view core.reading_unrouted as
    select b.generation, b.event_type, b.source, b.target, b.channel, b.events, b.oldest_at, b.taken_at
    from core.reading_backlog b
    where b.status = 'pending' and case when b.event_type = '(others)' then b.unrouted else not exists (
        select from core.subscriptions s
        where s.generation = b.generation and s.event_type = b.event_type
          and (b.target is null or s.context = b.target)) end;

create view core.reading_dead_letters as
    select g.generation, g.event_type, g.events, g.oldest_at, g.newest_at, r.taken_at
    from core.backlog_reading r cross join lateral unnest(r.dead_letters) g;

-- Whether core.xmin_holders knows for how long others' transactions are open: pg_read_all_stats is told, nobody else.
create function core.xmin_durations_visible() returns boolean
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select pg_has_role(current_user, 'pg_read_all_stats', 'usage')
$$;
revoke all on function core.xmin_durations_visible() from public;

-- Who keeps old row versions from being cleaned up, oldest first: while one of them stays, every version that was
-- written since stays too, and the outbox grows. Never shows what anybody runs. Of several with one age the one that
-- began first is the cause, the others have merely looked since.
create function core.xmin_holders()
returns table (kind text, identity text, database text, role text, application text, state text, xmin_age bigint,
               seconds float8)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin   -- in plpgsql, which plans it once per session
    return query
        select case when s.pid is null then 'backend' else 'standby' end, a.pid::text, a.datname::text,
            a.usename::text, a.application_name, a.state, greatest(age(a.backend_xmin), age(a.backend_xid))::bigint,
            extract(epoch from clock_timestamp() - a.xact_start)::float8
        from pg_stat_activity a
        left join pg_stat_get_wal_senders() s on s.pid = a.pid
        where (a.backend_xmin is not null or a.backend_xid is not null) and a.pid <> pg_backend_pid()
          and not exists (select from pg_stat_progress_vacuum v where v.pid = a.pid)   -- these hold nothing back
        union all
        select 'prepared transaction', p.gid, p.database::text, p.owner::text, null, null,
            age(p.transaction)::bigint, extract(epoch from clock_timestamp() - p.prepared)::float8
        from pg_prepared_xacts p
        union all
        select 'replication slot', s.slot_name::text, s.database::text, null, s.plugin::text,
            case when s.active then 'active' else 'inactive' end,
            greatest(age(s.xmin), age(s.catalog_xmin))::bigint, null
        from pg_replication_slots s
        where s.xmin is not null or s.catalog_xmin is not null
        order by 7 desc, 8 desc nulls last;
end
$$;
revoke all on function core.xmin_holders() from public;

-- Workers also say what became of their rows since they started, and how fast that was between the last two times.
alter table core.workers
    add column delivered            bigint not null default 0,
    add column retried              bigint not null default 0,
    add column failed               bigint not null default 0,
    add column counted_at           timestamptz,
    add column delivered_per_second float8 not null default 0,
    add column retried_per_second   float8 not null default 0,
    add column failed_per_second    float8 not null default 0;

-- How fast a total grew. One that went down is that of another process of the same name; the first one says nothing.
create function core.worker_rate(p_before bigint, p_now bigint, p_before_at timestamptz, p_now_at timestamptz)
returns float8
    language sql immutable security definer set search_path = pg_catalog, pg_temp
as $$
    select coalesce((p_now - case when p_now < p_before then 0 else p_before end)
                    / case when p_now_at > p_before_at then extract(epoch from p_now_at - p_before_at) end, 0)::float8
$$;
revoke all on function core.worker_rate(bigint, bigint, timestamptz, timestamptz) from public;

-- Every few seconds. False: the worker is not registered (any more): register again. A process that does not count
-- leaves the totals out.
create function core.worker_heartbeat(
    p_worker text, p_holding int, p_listening boolean, p_delivered bigint, p_retried bigint, p_failed bigint)
returns boolean
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_now timestamptz := clock_timestamp();
    w     core.workers;
begin
    update core.workers o
        set heartbeat_at = v_now, holding = p_holding, listening = p_listening,
            delivered = coalesce(p_delivered, o.delivered), retried = coalesce(p_retried, o.retried),
            failed = coalesce(p_failed, o.failed),
            counted_at = case when p_delivered is null then o.counted_at else v_now end,
            delivered_per_second = core.worker_rate(o.delivered, p_delivered, o.counted_at, v_now),
            retried_per_second = core.worker_rate(o.retried, p_retried, o.counted_at, v_now),
            failed_per_second = core.worker_rate(o.failed, p_failed, o.counted_at, v_now)
        where o.id = p_worker returning o.* into w;
    if not found then
        return false;
    end if;
    -- What is locked is being seen to by somebody else; waiting for it could be mutual.
    update core.subscriptions set seen_at = clock_timestamp()
        where ctid = any(array(
            select s.ctid from core.subscriptions s
            where s.generation = w.generation and s.context = w.context
              and s.seen_at < clock_timestamp() - interval '1 minute'
            for update skip locked));
    return true;
end
$$;
revoke all on function core.worker_heartbeat(text, int, boolean, bigint, bigint, bigint) from public;

-- For workers of the version before, which run on while the schema is a step ahead of them.
create or replace function core.worker_heartbeat(
    p_worker text, p_holding int default 0, p_listening boolean default false)
returns boolean
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    return core.worker_heartbeat(p_worker, p_holding, p_listening, null, null, null);
end
$$;

create or replace view core.metrics_workers as
    select w.id, w.context, w.generation, w.host, w.pid, w.started_at, w.holding, w.listening,
        cardinality(w.running) as running,
        extract(epoch from clock_timestamp() - w.heartbeat_at)::float8 as heartbeat_age_seconds,
        case when w.lock_key is not null then exists (
            select from pg_locks l
            where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
              and l.database = (select d.oid from pg_database d where d.datname = current_database())
              and l.classid = 1668637026 and l.objid::bigint = w.lock_key) end as alive,
        w.delivered, w.retried, w.failed, w.delivered_per_second, w.retried_per_second, w.failed_per_second
    from core.workers w;

-- What metrics, `cuebox status` and dashboards read. None of it counts delivered rows: backlogs are counted
-- through the same two ranges that claims use, and totals are the statistics' estimates.

-- Unsettled rows in groups. Costs one look at each unsettled row.
create function core.outbox_backlog()
returns table (generation bigint, status text, channel text, event_type text, source text, target text,
               events bigint, waiting bigint, oldest_at timestamptz)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off
    set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
    return query
        select u.generation, u.status, u.channel, u.event_type, u.source, u.target, count(*),
            count(*) filter (where u.available_at > clock_timestamp()), min(u.created_at)
        from core.outbox_generations() as g (generation)
        cross join lateral (
            select o.generation, o.status, o.channel, o.event_type, o.source, o.target, o.available_at,
                o.created_at
            from core.outbox o
            where o.generation = g.generation and o.created_at >= core.outbox_floor_now(g.generation)
              and o.available_at <= o.created_at
              and o.status in ('pending', 'in_flight') and o.deleted_at is null
            union all
            select o.generation, o.status, o.channel, o.event_type, o.source, o.target, o.available_at,
                o.created_at
            from core.outbox o
            where o.generation = g.generation and o.available_at > o.created_at
              and o.status in ('pending', 'in_flight') and o.deleted_at is null) u
        group by 1, 2, 3, 4, 5, 6;
end
$$;
revoke all on function core.outbox_backlog() from public;

-- Unsettled rows by status, generation, channel, type. waiting: of these, due later.
create view core.metrics_backlog as
    select b.*, extract(epoch from clock_timestamp() - b.oldest_at)::float8 as oldest_age_seconds
    from core.outbox_backlog() b;

-- Unsettled rows of generations that are on their way out or gone: candidates for a drain.
create view core.metrics_stranded as
    select b.generation, d.status as deployment, d.label, b.status,
        sum(b.events)::bigint as events, min(b.oldest_at) as oldest_at
    from core.outbox_backlog() b
    join core.deployments d on d.generation = b.generation
    where d.status in ('draining', 'retired')
    group by 1, 2, 3, 4;

-- Pending rows that nobody listens for at their generation.
create view core.metrics_unrouted as
    select b.generation, b.event_type, b.source, b.target, b.channel, b.events, b.oldest_at
    from core.outbox_backlog() b
    where b.status = 'pending' and not exists (
        select from core.subscriptions s
        where s.generation = b.generation and s.event_type = b.event_type
          and (b.target is null or s.context = b.target));

-- Dead letters, discarded ones excepted.
create view core.metrics_dead_letters as
    select o.generation, o.event_type, o.source, o.target, count(*) as events,
        min(o.failed_at) as oldest_at, max(o.failed_at) as newest_at
    from core.outbox o
    where o.failed_at is not null and o.status = 'failed' and o.deleted_at is null
    group by 1, 2, 3, 4;

-- Workers and whether their session still holds its lock (null: it never had one of its own).
create view core.metrics_workers as
    select w.id, w.context, w.generation, w.host, w.pid, w.started_at, w.holding, w.listening,
        cardinality(w.running) as running,
        extract(epoch from clock_timestamp() - w.heartbeat_at)::float8 as heartbeat_age_seconds,
        case when w.lock_key is not null then exists (
            select from pg_locks l
            where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
              and l.database = (select d.oid from pg_database d where d.datname = current_database())
              and l.classid = 1668637026 and l.objid::bigint = w.lock_key) end as alive
    from core.workers w;

-- Deployments and who listens.
create view core.metrics_deployments as
    select d.generation, d.label, d.status, d.started_at, d.retired_at,
        (select count(distinct s.context) from core.subscriptions s where s.generation = d.generation)
            as contexts,
        (select count(*) from core.workers w where w.generation = d.generation) as workers
    from core.deployments d;

-- Sizes. The estimates are the statistics', nothing is counted.
create view core.metrics_storage as
    select c.relname::text as relation, greatest(c.reltuples, 0)::bigint as rows_estimate,
        pg_total_relation_size(c.oid) as bytes, s.n_dead_tup as dead_rows_estimate,
        s.n_tup_upd as updates, s.n_tup_hot_upd as hot_updates, s.last_autovacuum, s.last_autoanalyze,
        pg_notification_queue_usage() as notify_queue_usage
    from pg_class c
    join pg_stat_user_tables s on s.relid = c.oid
    where c.oid in ('core.outbox'::regclass, 'core.event_handled'::regclass);

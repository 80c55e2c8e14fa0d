-- Who runs: generations, what their contexts listen for, and the processes that are alive.

create table core.deployments (
    generation bigint      primary key,
    label      text        not null,
    status     text        not null default 'active',
    started_at timestamptz not null default now(),
    retired_at timestamptz,

    constraint deployments_generation_is_positive check (generation > 0),
    constraint deployments_status_is_known check (status in ('active', 'draining', 'retired')),
    constraint deployments_retired_has_its_time check ((status = 'retired') = (retired_at is not null))
);

-- A subscription outlives the process that made it: what is published while a context is down waits for it.
create table core.subscriptions (
    generation bigint      not null,
    event_type text        not null,
    context    text        not null,
    since      timestamptz not null default now(),
    seen_at    timestamptz not null default now(),

    primary key (generation, event_type, context)
);

create table core.workers (
    id           text        primary key,
    context      text        not null,
    generation   bigint      not null,
    host         text        not null,
    pid          int         not null,
    started_at   timestamptz not null default now(),
    heartbeat_at timestamptz not null default now(),
    -- The key of the advisory lock that the worker's session holds: when it is free, the worker is gone.
    -- Null behind a transaction pooler, where no session is the worker's own: then only heartbeats count.
    lock_key     int,
    -- The rows whose handlers run right now. If the worker dies these cost an attempt, its other rows do not.
    running      uuid[]      not null default '{}',
    -- When it said so: what became due later was settled since, and costs nothing.
    running_at   timestamptz,
    -- Rows claimed and not yet settled, as of the last heartbeat.
    holding      int         not null default 0,
    listening    boolean     not null default false
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

create sequence core.worker_lock_keys as int cycle;

-- One row per generation: from where on to look for unsettled ordinary rows.
--
-- The invariant, which claims, the reaper and the views rely on: every unsettled row of a generation is either
-- at or above the floor in outbox_in_order, or in outbox_due, or was written by a transaction in late_xids.
-- core.outbox_advance_floor keeps it.
create table core.outbox_floors (
    generation bigint      primary key,
    floor      timestamptz not null default '-infinity',
    -- Every transaction with an xid above mark_xid writes created_at later than mark_at. So once all below it
    -- have ended, no row older than mark_at can appear any more.
    mark_at    timestamptz not null default '-infinity',
    mark_xid   xid8        not null default '0',
    -- Transactions that the floor did not wait for, and where it goes back to when each of them ends.
    late_xids  xid8[]        not null default '{}',
    late_from  timestamptz[] not null default '{}'
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- What was moved from one generation to another, by whom.
create table core.drains (
    id              bigint      generated always as identity primary key,
    from_generation bigint      not null,
    to_generation   bigint      not null,
    rows_moved      int         not null,
    drained_by      text,
    drained_at      timestamptz not null default now()
);

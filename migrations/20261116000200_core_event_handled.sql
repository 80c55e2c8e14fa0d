-- core.event_handled: which handler has handled which key. The primary key is the gate of dedup, so the
-- table is never range-partitioned: the key must stay unique over all of it.

create table core.event_handled (
    -- Compared for equality only: "C" makes each comparison a memcmp, and keeps time-ordered keys in order.
    handler_name    text        collate "C" not null,
    idempotency_key text        collate "C" not null,
    event_id        uuid        not null,
    content_class   text        not null default 'standard',
    handled_at      timestamptz not null default now(),
    deleted_at      timestamptz,

    primary key (handler_name, idempotency_key),
    constraint event_handled_handler_name_is_scoped check (handler_name like '_%._%'),
    constraint event_handled_content_class_is_known
        check (content_class in ('standard', 'personal', 'audit'))
) with (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.02
);

-- For the retention sweep. Rows arrive in the order of handled_at, so a summary per block range finds the old
-- ones and costs an insert next to nothing.
create index event_handled_age on core.event_handled using brin (handled_at) with (autosummarize = on);

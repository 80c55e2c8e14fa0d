-- core.outbox: every event lives here through its whole life.
--
-- The shape follows one rule, found by measuring (docs/architecture.md): no index and no index predicate
-- mentions a column that a claim or a settle of an ordinary event writes. Then both updates are HOT: they
-- touch no index, and their dead versions are pruned by whoever next reads the page, without vacuum.
--
-- replaces 453cf4a80df4661f159051aae2853d5fe70424174dd852beebb7ea0b44b3243a
-- (Another order of the same columns. A table that was made with it stays as it is, and works as well, slower.)

create table core.outbox (
    -- In the order of what it costs to read them. What is never null and of a fixed width lies where it lies; to
    -- anything behind the first text or null, each row is walked through, by every claim and settle several times.
    -- So the columns of the indexes come first, then what a claim looks at, then what it writes, and at last what is
    -- only carried. It is worth a fourteenth of the server's work on a leased event.
    id              uuid        primary key,
    generation      bigint      not null,
    -- The order of claims. Two properties carry the claim (see core.outbox_floors): the clock is the
    -- database's, and it is read after the transaction has its xid. Asking for the xid first is what makes
    -- the second one true even for a COPY whose client dawdles between two rows.
    created_at      timestamptz not null default
        (case when pg_current_xact_id() is not null then clock_timestamp() end),
    -- now() is never later than created_at's clock, so an ordinary row has available_at <= created_at. A row
    -- with available_at > created_at is "due at a time": delayed, retried, replayed, drained, given back.
    available_at    timestamptz not null default now(),
    occurred_at     timestamptz not null default now(),
    event_version   int         not null default 1,
    attempts        int         not null default 0,
    -- Not in the envelope's contract: a producer of thousands of rows a second sets this and sends one wake itself.
    quiet           boolean     not null default false,

    status          text        not null default 'pending',
    event_type      text        not null,
    target          text,
    deleted_at      timestamptz,

    claim_token     uuid,
    claimed_at      timestamptz,
    delivered_at    timestamptz,
    -- Before failed_at, as an update reads the clock for one after the other.
    first_failed_at timestamptz,
    -- Not in the envelope's contract: when the row became a dead letter (an index over these rows alone must not
    -- mention status).
    failed_at       timestamptz,
    claimed_by      text,

    -- Not in the envelope's contract: a row made by expanding a broadcast has an id of its own and carries the
    -- original's event id here.
    event_id        uuid,
    channel         text        not null default 'outbox_default',
    source          text        not null,
    content_class   text        not null default 'standard',
    idempotency_key text        not null,
    domain_id       uuid,
    -- What the runbook's queries call it.
    workspace_id    uuid        generated always as (domain_id) stored,
    trace_context   text,
    payload         jsonb       not null,
    failure_history jsonb       not null default '[]',
    last_error      text,

    constraint outbox_event_version_is_positive check (event_version > 0),
    constraint outbox_generation_is_positive check (generation > 0),
    -- As publishers have it; the key of event_handled is an index entry, which cannot be of any length.
    constraint outbox_idempotency_key_is_at_most_512_bytes check (octet_length(idempotency_key) <= 512),
    constraint outbox_status_is_known
        check (status in ('pending', 'in_flight', 'delivered', 'failed')),
    -- The classes that retention may one day treat differently: 'standard'; 'personal', which may have to go
    -- early; 'audit', which may have to stay. A later migration extends the list by DROP + ADD.
    constraint outbox_content_class_is_known check (content_class in ('standard', 'personal', 'audit')),
    -- ^[a-z_][a-z0-9_]{0,62}$: pg_notify refuses longer names, and would abort the producer's transaction. In
    -- two halves, because the counted form alone takes 5 us a check, and checks run on every update.
    constraint outbox_channel_is_a_name
        check (channel ~ '^[a-z_][a-z0-9_]*$' and octet_length(channel) <= 63)
) with (
    -- Room on each page for a second version of every row on it.
    fillfactor = 50,
    -- Pruning does the daily work. Vacuum is left with retries and deletes: by count, not by share, so that
    -- a long history does not postpone it; and analyze must not wait for a tenth of it either.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
);

-- Ordinary rows, in the order they are claimed.
create index outbox_in_order on core.outbox (generation, created_at);

-- Rows that are due at a time. They leave it when they are settled (available_at = created_at).
create index outbox_due on core.outbox (generation, available_at) where available_at > created_at;

-- Dead letters.
create index outbox_failed on core.outbox (failed_at) where failed_at is not null;

-- The key defaults to the event's id, which a column default cannot say. Publishers write the key themselves, and
-- a trigger that does not fire costs them a few per cent of a COPY.
create function core.outbox_default_key() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    NEW.idempotency_key := NEW.id::text;
    return NEW;
end
$$;
revoke all on function core.outbox_default_key() from public;

create trigger outbox_default_key before insert on core.outbox
    for each row when (NEW.idempotency_key is null) execute function core.outbox_default_key();

-- 256 KiB as text. A trigger, because a check would run on every update too. The text is only made where the
-- binary form, which costs nothing to measure, leaves a doubt: 512 bytes of it can be 256 KiB of text only with
-- numbers that are written short and printed long (1e131071), and no value of that size is compressed to less.
-- To look at every payload would cost a COPY a tenth; core.outbox_publish does, and publishers know the size.
create function core.outbox_refuse_payload() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception 'new row for relation "outbox" violates check constraint "outbox_payload_is_at_most_256_kib": '
            'the payload has % bytes as text', octet_length(NEW.payload::text)
        using errcode = 'check_violation', schema = 'core', table = 'outbox',
              constraint = 'outbox_payload_is_at_most_256_kib';
end
$$;
revoke all on function core.outbox_refuse_payload() from public;

create trigger outbox_payload_is_at_most_256_kib before insert on core.outbox
    for each row when (pg_column_size(NEW.payload) > 512 and octet_length(NEW.payload::text) > 262144)
    execute function core.outbox_refuse_payload();

-- Frozen: no later migration changes this body. Channels are composed by the publisher.
create function core.outbox_notify() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    perform pg_notify(NEW.channel, NEW.id::text);
    return null;
end
$$;
revoke all on function core.outbox_notify() from public;

create trigger outbox_notify after insert on core.outbox
    for each row when (not NEW.quiet) execute function core.outbox_notify();

-- The registry of retention: how long what is kept, for the whole database. Sweepers read it, whichever process
-- they run in; a worker's config may say otherwise for itself.

-- Whole seconds, which is what sweepers read: months and years have the length that extract gives them. Not more than
-- 1000 years, for what is kept forever: beyond that the times that sweeps reckon with do not exist.
create table core.retention_policies (
    subject    text        primary key check (subject in ('outbox_row', 'event_handled')),
    active     interval    not null
        check (round(extract(epoch from active)) between 1 and extract(epoch from interval '1000 years')),
    grace      interval    not null
        check (round(extract(epoch from grace)) between 0 and extract(epoch from interval '1000 years')),
    disposal   text        not null default 'hard_delete' check (disposal = 'hard_delete'),
    changed_at timestamptz not null default now(),
    changed_by text        not null default session_user
);

insert into core.retention_policies (subject, active, grace) values
    ('outbox_row', '45 days', '7 days'),
    ('event_handled', '60 days', '7 days');

-- A dedup record must outlive every row that could be replayed, or a handler that succeeded would run again. Looked
-- at when the transaction commits, so that both can be changed together.
create function core.retention_check() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_outbox  core.retention_policies := (select p from core.retention_policies p where p.subject = 'outbox_row');
    v_handled core.retention_policies := (select p from core.retention_policies p where p.subject = 'event_handled');
begin
    -- As sweepers compare them. An interval against another has years of 360 days.
    if v_outbox.subject is null or v_handled.subject is null then
        raise exception 'retention needs a policy for outbox_row and one for event_handled'
            using errcode = 'check_violation';
    elsif round(extract(epoch from v_handled.active))
          <= round(extract(epoch from v_outbox.active)) + round(extract(epoch from v_outbox.grace)) then
        raise exception 'event_handled must be kept for longer than % (outbox_row, active and grace), not for %: '
                'else a replay could run twice', v_outbox.active + v_outbox.grace, v_handled.active
            using errcode = 'check_violation';
    end if;
    return null;
end
$$;
revoke all on function core.retention_check() from public;

create constraint trigger retention_check
    after insert or update or delete on core.retention_policies
    deferrable initially deferred
    for each row execute function core.retention_check();

-- One change at a time, or two that are good by themselves could together be what the check refuses.
create function core.retention_lock() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    perform from core.retention_policies p order by p.subject for update;
    return null;
end
$$;
revoke all on function core.retention_lock() from public;

create trigger retention_lock
    before insert or update or delete on core.retention_policies
    for each statement execute function core.retention_lock();

-- Who changed it, whatever they say.
create function core.retention_stamp() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    new.changed_at := clock_timestamp();
    new.changed_by := session_user;
    return new;
end
$$;
revoke all on function core.retention_stamp() from public;

create trigger retention_stamp
    before update on core.retention_policies
    for each row execute function core.retention_stamp();

-- As it was, and it says how far it has come: core.outbox_replay_many does not rely on records that are on their way
-- out, by whose rules ever. From a tombstone to its end there is the grace, in which what was replayed before is done.
create or replace function core.sweep_event_handled(
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
    v_last   timestamptz;
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

    with gone as (
        delete from core.event_handled h where h.ctid = any(v_places) and h.deleted_at is not null
        returning h.handled_at)
    select count(*), max(g.handled_at) into deleted, v_last from gone g;
    with marked as (
        update core.event_handled h set deleted_at = now() where h.ctid = any(v_places) and h.deleted_at is null
        returning h.handled_at)
    select count(*), greatest(v_last, max(m.handled_at)) into tombstoned, v_last from marked m;
    update core.dedup_horizon d set swept_until = v_last where d.swept_until < v_last;
end
$$;

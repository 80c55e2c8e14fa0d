-- The registry of retention: how long what is kept, for the whole database. Sweepers read it, whichever process
-- they run in; a worker's config may say otherwise for itself.

create table core.retention_policies (
    subject    text        primary key check (subject in ('outbox_row', 'event_handled')),
    active     interval    not null check (active > interval '0'),
    grace      interval    not null check (grace >= interval '0'),
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
    if v_outbox.subject is null or v_handled.subject is null then
        raise exception 'retention needs a policy for outbox_row and one for event_handled'
            using errcode = 'check_violation';
    elsif v_handled.active <= v_outbox.active + v_outbox.grace then
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

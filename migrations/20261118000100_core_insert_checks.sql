-- What is checked of a row that comes in is checked when it comes in.
--
-- A check constraint runs on every update as well, and a row has two of those in its life, neither of which
-- writes these columns. Postgres also reads each constraint's expression anew for every statement. Together that
-- was a twelfth of the work of a claim and a settle in batches, and an eighth of it row by row. The trigger says
-- the same words as the constraints did, under their names. Those who change these columns of a row that is there
-- already, by hand, do so unchecked.

create function core.outbox_refuse_row() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_rule text := case
        when NEW.event_version <= 0 then 'outbox_event_version_is_positive'
        when NEW.generation <= 0 then 'outbox_generation_is_positive'
        when octet_length(NEW.idempotency_key) > 512 then 'outbox_idempotency_key_is_at_most_512_bytes'
        when NEW.content_class not in ('standard', 'personal', 'audit') then 'outbox_content_class_is_known'
        else 'outbox_channel_is_a_name' end;
begin
    raise exception 'new row for relation "outbox" violates check constraint "%"', v_rule
        using errcode = 'check_violation', schema = 'core', table = 'outbox', constraint = v_rule;
end
$$;
revoke all on function core.outbox_refuse_row() from public;

-- Its name comes after outbox_default_key's, so that the key is there.
create trigger outbox_row_is_valid before insert on core.outbox
    for each row when (
        NEW.event_version <= 0
        or NEW.generation <= 0
        or octet_length(NEW.idempotency_key) > 512
        or NEW.content_class not in ('standard', 'personal', 'audit')
        or NEW.channel !~ '^[a-z_][a-z0-9_]*$'
        or octet_length(NEW.channel) > 63)
    execute function core.outbox_refuse_row();

alter table core.outbox
    drop constraint outbox_event_version_is_positive,
    drop constraint outbox_generation_is_positive,
    drop constraint outbox_idempotency_key_is_at_most_512_bytes,
    drop constraint outbox_content_class_is_known,
    drop constraint outbox_channel_is_a_name;

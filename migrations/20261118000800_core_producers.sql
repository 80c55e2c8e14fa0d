-- One set of rules for every producer: a plain INSERT, core.outbox_publish, COPY and the publishers.
--
-- The trigger's condition finds rows that break a rule; the function, which runs for those alone, says which one. Its
-- words begin with the column, as those of core/event/envelope.cpp do. A trigger for each rule would say each once, and
-- was measured: a third more work for every INSERT. (No check constraints: see 20261118000100_core_insert_checks.)

create or replace function core.outbox_refuse_row() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_name constant text := 'give it 1 to 255 bytes without control characters';
    v_time constant text := 'a time outside the years 0001 to 9999';
    v_ctrl constant text := '[\x01-\x1f\x7f]';
    r      record;
begin
    select * into r from (values
        ('id', 'outbox_id_is_not_nil', NEW.id = '00000000-0000-0000-0000-000000000000',
         'all zero; leave it out and the database makes one'),
        ('event_type', 'outbox_event_type_is_a_name',
         octet_length(NEW.event_type) not between 1 and 255 or NEW.event_type ~ v_ctrl, v_name),
        ('source', 'outbox_source_is_a_name',
         octet_length(NEW.source) not between 1 and 255 or NEW.source ~ v_ctrl, v_name),
        ('target', 'outbox_target_is_a_name',
         octet_length(NEW.target) not between 1 and 255 or NEW.target ~ v_ctrl,
         v_name || ', or null for every context that listens'),
        ('idempotency_key', 'outbox_idempotency_key_is_at_most_512_bytes',
         octet_length(NEW.idempotency_key) not between 1 and 512 or NEW.idempotency_key ~ v_ctrl,
         'give it 1 to 512 bytes without control characters, or null for the event''s id'),
        ('event_version', 'outbox_event_version_is_positive', NEW.event_version <= 0, 'versions start at 1'),
        ('generation', 'outbox_generation_is_positive', NEW.generation <= 0, 'generations count up from 1'),
        ('content_class', 'outbox_content_class_is_known', NEW.content_class not in ('standard', 'personal', 'audit'),
         'unknown; take standard, personal or audit'),
        ('status', 'outbox_status_is_known', NEW.status not in ('pending', 'in_flight', 'delivered', 'failed'),
         'unknown; leave it out for pending'),
        ('channel', 'outbox_channel_is_a_name',
         NEW.channel !~ '^[a-z_][a-z0-9_]*$' or octet_length(NEW.channel) > 63,
         'not a channel name; use at most 63 of a-z, 0-9 and _'),
        ('channel', 'outbox_channel_is_of_the_generation',
         NEW.channel ~ '^outbox_gen_[0-9]' and NEW.channel <> 'outbox_gen_' || NEW.generation
             and not starts_with(NEW.channel, 'outbox_gen_' || NEW.generation || '_'),
         'names another generation than the row has; take outbox_gen_<generation>, or leave it out'),
        ('occurred_at', 'outbox_occurred_at_is_in_range',
         NEW.occurred_at < '0001-01-01 00:00:00+00' or NEW.occurred_at >= '10000-01-01 00:00:00+00', v_time),
        ('available_at', 'outbox_available_at_is_in_range',
         NEW.available_at < '0001-01-01 00:00:00+00' or NEW.available_at >= '10000-01-01 00:00:00+00', v_time),
        ('payload', 'outbox_payload_is_an_object', jsonb_typeof(NEW.payload) <> 'object',
         'not a JSON object; wrap the value in one'),
        ('trace_context', 'outbox_trace_context_is_a_traceparent', true,
         'not a W3C traceparent: expected 00-<32 hex digits>-<16 hex digits>-<2 hex digits>, in lower case and no id '
         'all zero')) as rules (field, rule, broken, why)
    where broken limit 1;
    raise exception '%: %', r.field, r.why
        using errcode = 'check_violation', schema = 'core', table = 'outbox', column = r.field, constraint = r.rule,
              detail = format('new row for relation "outbox" violates check constraint "%s"', r.rule);
end
$$;

-- What publishers write into channel is compared before anything else is looked at.
drop trigger outbox_row_is_valid on core.outbox;
create trigger outbox_row_is_valid before insert on core.outbox
    for each row when (
        NEW.id = '00000000-0000-0000-0000-000000000000'
        or octet_length(NEW.event_type) not between 1 and 255
        or octet_length(NEW.source) not between 1 and 255
        or octet_length(NEW.target) not between 1 and 255
        or octet_length(NEW.idempotency_key) not between 1 and 512
        or (NEW.event_type || NEW.source || coalesce(NEW.target, '') || NEW.idempotency_key) ~ '[\x01-\x1f\x7f]'
        or NEW.event_version <= 0
        or NEW.generation <= 0
        or NEW.content_class not in ('standard', 'personal', 'audit')
        or NEW.status not in ('pending', 'in_flight', 'delivered', 'failed')
        or NEW.channel <> 'outbox_gen_' || NEW.generation::text
           and (NEW.channel !~ '^[a-z_][a-z0-9_]*$'
                or octet_length(NEW.channel) > 63
                or NEW.channel ~ '^outbox_gen_[0-9]'
                   and not starts_with(NEW.channel, 'outbox_gen_' || NEW.generation::text || '_'))
        -- Times that every client can print.
        or NEW.occurred_at < '0001-01-01 00:00:00+00' or NEW.occurred_at >= '10000-01-01 00:00:00+00'
        or NEW.available_at < '0001-01-01 00:00:00+00' or NEW.available_at >= '10000-01-01 00:00:00+00'
        or jsonb_typeof(NEW.payload) <> 'object'
        or NEW.trace_context !~ '^00-[0-9a-f]*-[0-9a-f]*-[0-9a-f]*$'
        or NEW.trace_context not like '00-________________________________-________________-__'
        or NEW.trace_context like '00-00000000000000000000000000000000-%'
        or NEW.trace_context like '00-________________________________-0000000000000000-%')
    execute function core.outbox_refuse_row();

-- Its trigger stays as it was; this one also tells how large the payload is.
create or replace function core.outbox_refuse_payload() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception 'payload: % bytes as text; at most 262144 are allowed', octet_length(NEW.payload::text)
        using errcode = 'check_violation', schema = 'core', table = 'outbox', column = 'payload', constraint = TG_NAME,
              detail = format('new row for relation "outbox" violates check constraint "%s"', TG_NAME);
end
$$;

-- Plain INSERTs need no id of their own.
alter table core.outbox alter column id set default core.uuid_v7();

-- domain_id and its older name, workspace_id: a producer gives either, the row has both.
alter table core.outbox alter column workspace_id drop expression;

create function core.outbox_same_domain() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    if NEW.domain_id <> NEW.workspace_id then
        raise exception 'workspace_id: differs from domain_id, of which it is the older name; give one of the two'
            using errcode = 'check_violation', schema = 'core', table = 'outbox', column = 'workspace_id',
                  constraint = TG_NAME;
    end if;
    NEW.domain_id := coalesce(NEW.domain_id, NEW.workspace_id);
    NEW.workspace_id := NEW.domain_id;
    return NEW;
end
$$;
revoke all on function core.outbox_same_domain() from public;

create trigger outbox_workspace_id_is_domain_id before insert on core.outbox
    for each row when (NEW.domain_id is distinct from NEW.workspace_id) execute function core.outbox_same_domain();

-- The table's rules hold for it like for anybody: what is left is to compose the channel, as publishers do.
create or replace function core.outbox_publish(
    p_event_type      text,
    p_source          text,
    p_generation      bigint,
    p_payload         jsonb       default '{}',
    p_target          text        default null,
    p_class           text        default null,
    p_idempotency_key text        default null,
    p_domain_id       uuid        default null,
    p_event_version   int         default 1,
    p_occurred_at     timestamptz default now(),
    p_available_at    timestamptz default now(),
    p_trace_context   text        default null,
    p_content_class   text        default 'standard',
    p_event_id        uuid        default null,
    p_quiet           boolean     default false)
returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_id uuid := coalesce(p_event_id, core.uuid_v7());
begin
    if p_class !~ '^[a-z0-9_]*$' or octet_length(p_class) > 32 then
        raise exception 'class: "%"; use at most 32 of a-z, 0-9 and _', left(p_class, 63)
            using errcode = 'invalid_parameter_value';
    elsif octet_length(p_payload::text) > 262144 then   -- the table looks at those it can measure for nothing
        raise exception 'payload: % bytes as text; at most 262144 are allowed', octet_length(p_payload::text)
            using errcode = 'check_violation', schema = 'core', table = 'outbox', column = 'payload',
                  constraint = 'outbox_payload_is_at_most_256_kib';
    end if;
    insert into core.outbox (id, event_type, event_version, occurred_at, source, target, content_class,
        channel, generation, domain_id, payload, idempotency_key, trace_context, available_at, quiet)
    values (v_id, p_event_type, p_event_version, p_occurred_at, p_source, p_target, p_content_class,
        'outbox_gen_' || p_generation || coalesce('_' || nullif(p_class, ''), ''), p_generation, p_domain_id, p_payload,
        coalesce(p_idempotency_key, v_id::text), p_trace_context, p_available_at, p_quiet);
    return v_id;
end
$$;

-- What operators do about dead letters and generations: on record, and many rows at a time.

-- What operators did, by whom, written by the functions themselves. It outlives the rows it is about.
create table core.operator_actions (
    id            bigint      generated always as identity primary key,
    at            timestamptz not null default clock_timestamp(),
    -- Who they say they are, and who the database knows them to be.
    actor         text,
    database_user text        not null default session_user,
    action        text        not null,
    row_id        uuid,
    event_type    text,
    detail        jsonb       not null default '{}',

    constraint operator_actions_action_is_known check (action in
        ('replay', 'discard', 'drain', 'allocate_generation', 'retire_generation', 'sweep'))
);
create index operator_actions_row on core.operator_actions (row_id) where row_id is not null;

-- Up to when dedup records are tombstoned or gone, by whatever rules they were swept: the registry's today, others'
-- yesterday, those of one sweep. core.sweep_event_handled moves it, forward only. One row.
create table core.dedup_horizon (
    only_one    boolean     primary key default true,
    swept_until timestamptz not null default '-infinity',

    constraint dedup_horizon_is_only_one check (only_one)
);
insert into core.dedup_horizon default values;

-- Where to look when an event is no dead letter itself. A broadcast is delivered once its copies are made, and it is
-- they that fail; what is told elsewhere of a copy's failure is the id of the event.
create function core.outbox_next_step(p_id uuid, p_status text) returns text
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off
as $$
begin
    if p_status = 'delivered' and exists (
            select from core.outbox o
            where o.failed_at is not null and o.status = 'failed' and o.deleted_at is null and o.event_id = p_id) then
        return format('Copies of it have failed, see which: cuebox dlq list --event %s', p_id);
    end if;
    return format('See how it got there with: cuebox dlq show %s', p_id);
end
$$;
revoke all on function core.outbox_next_step(uuid, text) from public;

-- The rules of a replay, for one row or many: which of these may be given another cycle, and if not why. Rows are
-- locked in the order of their ids, so that operators who meet wait and do not deadlock. Each row that is not
-- there, not a dead letter any more, or too old is left as it is and reported; a generation that nobody will ever
-- work at is refused as a whole. One wake per channel. Too old is what was created before p_dedup_horizon, and what
-- was created before the last dedup record that a sweep has tombstoned: its handlers' records are not to be relied on.
--
-- result: 'replayed', 'missing' or 'refused'; the last two with a reason and what to do about it.
create function core.outbox_replay_many(
    p_ids uuid[], p_new_generation bigint, p_replayed_by text default null, p_force boolean default false,
    p_dedup_horizon interval default '60 days')
returns table (id uuid, result text, reason text, hint text)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
    v_target text := (select d.status from core.deployments d where d.generation = p_new_generation);
    v_swept  timestamptz := coalesce((select h.swept_until from core.dedup_horizon h), '-infinity');
begin
    if p_new_generation is null or p_new_generation <= 0 then
        raise exception 'cannot replay to generation %', coalesce(p_new_generation::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'select max(generation) from core.deployments tells the current one.';
    elsif v_target = 'retired' then
        raise exception 'generation % is retired: the event would be stranded there', p_new_generation
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'select max(generation) from core.deployments tells the current one.';
    elsif v_target is null
          and not exists (select from core.subscriptions s where s.generation = p_new_generation) then
        raise exception 'generation % was never allocated and nobody listens at it: the event would be stranded '
                'there', p_new_generation
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'select max(generation) from core.deployments tells the current one.';
    end if;

    perform from core.outbox o where o.id = any(p_ids) order by o.id for update;
    return query
        with asked as (select distinct u.id from unnest(p_ids) as u (id)),
        judged as materialized (
            select a.id, o.deleted_at, o.status, o.created_at, o.generation, o.event_type,
                case when o.id is null then 'missing'
                     when o.deleted_at is not null or o.status <> 'failed'
                          or (o.created_at < now() - p_dedup_horizon or o.created_at <= v_swept)
                             and p_force is not true then 'refused'
                     else 'replayed' end as result
            from asked a left join core.outbox o on o.id = a.id),
        replayed as (
            update core.outbox o
            set failure_history = o.failure_history || jsonb_build_object(
                    'cycle', jsonb_array_length(o.failure_history) + 1, 'attempts', o.attempts,
                    'last_error', o.last_error, 'handler', o.last_handler, 'first_failed_at', o.first_failed_at,
                    'failed_at', coalesce(o.failed_at, o.claimed_at),
                    'replayed_at', clock_timestamp(), 'replayed_by', p_replayed_by),
                attempts = 0, last_error = null, last_handler = null, first_failed_at = null, failed_at = null,
                generation = p_new_generation, channel = core.outbox_channel_at(o.channel, p_new_generation),
                status = 'pending', claimed_at = null, claimed_by = null, claim_token = null,
                -- Below the new generation's floor, most likely: outbox_due is where it will be found.
                available_at = core.outbox_due_at(o.created_at, interval '0')
            from judged j
            where o.id = j.id and j.result = 'replayed'
            returning o.id, o.event_type, j.generation, jsonb_array_length(o.failure_history) as cycle,
                o.created_at),
        audited as (
            insert into core.operator_actions (actor, action, row_id, event_type, detail)
            select p_replayed_by, 'replay', r.id, r.event_type, jsonb_build_object(
                'cycle', r.cycle, 'from', r.generation, 'to', p_new_generation,
                'forced', r.created_at < now() - p_dedup_horizon or r.created_at <= v_swept)
            from replayed r)
        select j.id, j.result,
            case when j.result = 'replayed' then null
                 when j.result = 'missing' then format('no event %s in the outbox', j.id)
                 when j.deleted_at is not null
                 then format('event %s was discarded at %s and cannot be replayed', j.id, j.deleted_at)
                 when j.status <> 'failed'
                 then format('event %s is %s, only failed events can be replayed', j.id, j.status)
                 when j.created_at < now() - p_dedup_horizon
                 then format('event %s was created at %s, before the dedup horizon of %s: handlers that '
                             'succeeded then would run again', j.id, j.created_at, justify_hours(p_dedup_horizon))
                 else format('event %s was created at %s, and dedup records up to %s have been swept: handlers that '
                             'succeeded then would run again', j.id, j.created_at, v_swept) end,
            case when j.result = 'replayed' then null
                 when j.result = 'missing' then 'List dead letters with: cuebox dlq list'
                 when j.deleted_at is not null then 'Publish it again if it is needed after all.'
                 when j.status <> 'failed' then core.outbox_next_step(j.id, j.status)
                 else 'Pass p_force => true (cuebox dlq replay --force) if that is fine.' end
        from judged j;

    perform core.outbox_wake(array(
        select o.id from core.outbox o
        where o.id = any(p_ids) and o.status = 'pending' and o.generation = p_new_generation));
end
$$;
revoke all on function core.outbox_replay_many(uuid[], bigint, text, boolean, interval) from public;

-- One dead letter: what is only reported of many is an error here.
create or replace function core.outbox_replay(
    p_event_id uuid, p_new_generation bigint, p_replayed_by text default null, p_force boolean default false,
    p_dedup_horizon interval default '60 days')
returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    r record;
begin
    select * into r from core.outbox_replay_many(array[p_event_id], p_new_generation, p_replayed_by, p_force,
                                                 p_dedup_horizon);
    if r.result <> 'replayed' then
        raise exception '%', r.reason
            using errcode = case r.result when 'missing' then 'no_data_found'
                                          else 'object_not_in_prerequisite_state' end, hint = r.hint;
    end if;
end
$$;

-- The same for discards: tombstones dead letters, for the retention sweep to delete later. result: 'discarded',
-- 'missing' or 'refused'.
create function core.outbox_discard_many(p_ids uuid[], p_discarded_by text default null)
returns table (id uuid, result text, reason text, hint text)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
    perform from core.outbox o where o.id = any(p_ids) order by o.id for update;
    return query
        with asked as (select distinct u.id from unnest(p_ids) as u (id)),
        judged as materialized (
            select a.id, o.deleted_at, o.status,
                case when o.id is null then 'missing'
                     when o.deleted_at is not null or o.status <> 'failed' then 'refused'
                     else 'discarded' end as result
            from asked a left join core.outbox o on o.id = a.id),
        discarded as (
            update core.outbox o
            set deleted_at = clock_timestamp(),
                failure_history = o.failure_history || jsonb_build_object(
                    'cycle', jsonb_array_length(o.failure_history) + 1, 'attempts', o.attempts,
                    'last_error', o.last_error, 'handler', o.last_handler, 'first_failed_at', o.first_failed_at,
                    'failed_at', coalesce(o.failed_at, o.claimed_at),
                    'discarded_at', clock_timestamp(), 'discarded_by', p_discarded_by)
            from judged j
            where o.id = j.id and j.result = 'discarded'
            returning o.id, o.event_type, jsonb_array_length(o.failure_history) as cycle),
        audited as (
            insert into core.operator_actions (actor, action, row_id, event_type, detail)
            select p_discarded_by, 'discard', d.id, d.event_type, jsonb_build_object('cycle', d.cycle)
            from discarded d)
        select j.id, j.result,
            case when j.result = 'discarded' then null
                 when j.result = 'missing' then format('no event %s in the outbox', j.id)
                 when j.deleted_at is not null
                 then format('event %s was discarded already, at %s', j.id, j.deleted_at)
                 else format('event %s is %s, only failed events can be discarded', j.id, j.status) end,
            case when j.result = 'discarded' then null
                 when j.result = 'missing' then 'List dead letters with: cuebox dlq list'
                 else core.outbox_next_step(j.id, j.status) end
        from judged j;
end
$$;
revoke all on function core.outbox_discard_many(uuid[], text) from public;

create or replace function core.outbox_discard(p_event_id uuid, p_discarded_by text default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    r record;
begin
    select * into r from core.outbox_discard_many(array[p_event_id], p_discarded_by);
    if r.result <> 'discarded' then
        raise exception '%', r.reason
            using errcode = case r.result when 'missing' then 'no_data_found'
                                          else 'object_not_in_prerequisite_state' end, hint = r.hint;
    end if;
end
$$;

-- Dead letters, discarded ones excepted. error_class is what stands before the first colon of the error.
create view core.dead_letters as
    select o.id, coalesce(o.event_id, o.id) as event_id, o.event_type, o.event_version, o.source, o.target,
        o.generation, o.channel, o.domain_id, o.idempotency_key, o.attempts, o.last_handler as handler,
        split_part(o.last_error, ':', 1) as error_class, o.last_error, o.first_failed_at, o.failed_at,
        jsonb_array_length(o.failure_history) + 1 as cycle, o.claimed_by as worker, o.occurred_at, o.created_at
    from core.outbox o
    where o.failed_at is not null and o.status = 'failed' and o.deleted_at is null;

-- Those that match all that is given, the last failed first, from a place on: p_after_failed_at and p_after_id of
-- the last one seen. p_error is a part of the error, in any case of letters; p_event_id has all copies of a broadcast.
-- Reads dead letters only, through outbox_failed, and with p_limit no more of them than it passes by.
create function core.find_dead_letters(
    p_event_type text default null, p_source text default null, p_target text default null,
    p_handler text default null, p_error text default null, p_error_class text default null,
    p_generation bigint default null, p_failed_from timestamptz default null,
    p_failed_until timestamptz default null, p_oldest_first boolean default false, p_limit int default null,
    p_after_failed_at timestamptz default null, p_after_id uuid default null, p_event_id uuid default null)
returns setof core.dead_letters
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_from  timestamptz := coalesce(p_failed_from, '-infinity');
    v_until timestamptz := coalesce(p_failed_until, 'infinity');
begin
    if p_oldest_first then
        v_from := greatest(v_from, p_after_failed_at);
        return query
            select * from core.dead_letters l
            where l.failed_at >= v_from and l.failed_at <= v_until
              and (p_after_id is null or (l.failed_at, l.id) > (p_after_failed_at, p_after_id))
              and (p_event_type is null or l.event_type = p_event_type)
              and (p_source is null or l.source = p_source)
              and (p_target is null or l.target = p_target)
              and (p_handler is null or l.handler = p_handler)
              and (p_error is null or position(lower(p_error) in lower(l.last_error)) > 0)
              and (p_error_class is null or l.error_class = p_error_class)
              and (p_generation is null or l.generation = p_generation)
              and (p_event_id is null or l.event_id = p_event_id)
            order by l.failed_at, l.id limit p_limit;
    else
        v_until := least(v_until, p_after_failed_at);
        return query
            select * from core.dead_letters l
            where l.failed_at >= v_from and l.failed_at <= v_until
              and (p_after_id is null or (l.failed_at, l.id) < (p_after_failed_at, p_after_id))
              and (p_event_type is null or l.event_type = p_event_type)
              and (p_source is null or l.source = p_source)
              and (p_target is null or l.target = p_target)
              and (p_handler is null or l.handler = p_handler)
              and (p_error is null or position(lower(p_error) in lower(l.last_error)) > 0)
              and (p_error_class is null or l.error_class = p_error_class)
              and (p_generation is null or l.generation = p_generation)
              and (p_event_id is null or l.event_id = p_event_id)
            order by l.failed_at desc, l.id desc limit p_limit;
    end if;
end
$$;
revoke all on function core.find_dead_letters(text, text, text, text, text, text, bigint, timestamptz, timestamptz,
    boolean, int, timestamptz, uuid, uuid) from public;

-- Who has handled a key. The key is the second column of the index: one probe for each handler there is.
create function core.outbox_handled_by(p_idempotency_key text)
returns table (handler text, event_id uuid, handled_at timestamptz)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off
    set enable_hashjoin = off set enable_mergejoin = off
as $$
    with recursive handlers (name) as (
        (select h.handler_name from core.event_handled h order by h.handler_name limit 1)
        union all
        select (select h.handler_name from core.event_handled h where h.handler_name > n.name
                order by h.handler_name limit 1)
        from handlers n where n.name is not null)
    select h.handler_name, h.event_id, h.handled_at
    from handlers n join core.event_handled h
        on h.handler_name = n.name and h.idempotency_key = p_idempotency_key
    order by h.handled_at, h.handler_name
$$;
revoke all on function core.outbox_handled_by(text) from public;

-- Generations, with who allocates and retires them on record.
create function core.allocate_generation(p_label text, p_allocated_by text) returns bigint
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_generation bigint;
begin
    lock table core.deployments in exclusive mode;
    insert into core.deployments (generation, label)
        select coalesce(max(d.generation), 0) + 1, p_label from core.deployments d
        returning generation into v_generation;
    insert into core.subscriptions (generation, event_type, context)
        select v_generation, s.event_type, s.context from core.subscriptions s
        where s.generation = (select max(e.generation) from core.subscriptions e where e.generation < v_generation)
        order by s.event_type, s.context
        on conflict do nothing;
    insert into core.operator_actions (actor, action, detail)
        values (p_allocated_by, 'allocate_generation',
                jsonb_build_object('generation', v_generation, 'label', p_label));
    return v_generation;
end
$$;
revoke all on function core.allocate_generation(text, text) from public;

create or replace function core.allocate_generation(p_label text) returns bigint
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    return core.allocate_generation(p_label, null);
end
$$;

create function core.retire_generation(p_generation bigint, p_retired_by text) returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_status text := case when core.outbox_has_open(p_generation)
                               or exists (select from core.workers w where w.generation = p_generation)
                          then 'draining' else 'retired' end;
begin
    update core.deployments d
        set status = v_status, retired_at = case v_status when 'retired' then coalesce(d.retired_at, now()) end
        where d.generation = p_generation;
    if not found then
        raise exception 'no generation %', p_generation
            using errcode = 'no_data_found', hint = 'List them with: cuebox generation list';
    end if;
    insert into core.operator_actions (actor, action, detail)
        values (p_retired_by, 'retire_generation',
                jsonb_build_object('generation', p_generation, 'status', v_status));
    return v_status;
end
$$;
revoke all on function core.retire_generation(bigint, text) from public;

create or replace function core.retire_generation(p_generation bigint) returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    return core.retire_generation(p_generation, null);
end
$$;

-- As it was, and on record.
create or replace function core.outbox_drain(
    p_from_generation bigint, p_to_generation bigint, p_drained_by text default null, p_limit int default 1000)
returns int
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    v_floor  timestamptz := core.outbox_floor_now(p_from_generation);
    v_target text := (select d.status from core.deployments d where d.generation = p_to_generation);
    v_places tid[];
    v_moved  uuid[];
begin
    if p_from_generation = p_to_generation then
        raise exception 'cannot drain generation % to itself', p_from_generation
            using errcode = 'invalid_parameter_value';
    elsif v_target <> 'active' then
        raise exception 'generation % is %: the rows would be stranded there', p_to_generation, v_target
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'select * from core.deployments lists the generations.';
    elsif v_target is null
          and not exists (select from core.subscriptions s where s.generation = p_to_generation) then
        raise exception 'generation % was never allocated and nobody listens at it: the rows would be stranded '
                'there', p_to_generation
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'select * from core.deployments lists the generations.';
    end if;

    v_places := array(
        select o.ctid from core.outbox o
        where o.generation = p_from_generation and o.available_at > o.created_at
          and o.status = 'pending' and o.deleted_at is null
        order by o.available_at limit p_limit
        for update skip locked);
    v_places := v_places || array(
        select o.ctid from core.outbox o
        where o.generation = p_from_generation and o.created_at >= v_floor
          and o.available_at <= o.created_at and o.status = 'pending' and o.deleted_at is null
        order by o.created_at limit p_limit - cardinality(v_places)
        for update skip locked);

    with moved as (
        update core.outbox o
        set generation = p_to_generation, channel = core.outbox_channel_at(o.channel, p_to_generation),
            -- A delay stays; everything else is due now, for it may lie below the other generation's floor.
            available_at = greatest(o.available_at, core.outbox_due_at(o.created_at, interval '0'))
        where o.ctid = any(v_places)
        returning o.id)
    select coalesce(array_agg(m.id), '{}') into v_moved from moved m;

    if v_moved <> '{}' then
        insert into core.drains (from_generation, to_generation, rows_moved, drained_by)
            values (p_from_generation, p_to_generation, cardinality(v_moved), p_drained_by);
        insert into core.operator_actions (actor, action, detail)
            values (p_drained_by, 'drain', jsonb_build_object(
                'from', p_from_generation, 'to', p_to_generation, 'rows', cardinality(v_moved)));
        perform core.outbox_wake(v_moved);
    end if;
    return cardinality(v_moved);
end
$$;

-- A sweep is many calls in as many transactions; whoever asked for it says at its end what it did.
create function core.record_sweep(p_swept_by text, p_detail jsonb) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    insert into core.operator_actions (actor, action, detail) values (p_swept_by, 'sweep', p_detail);
end
$$;
revoke all on function core.record_sweep(text, jsonb) from public;

-- What operators do: replay, discard, generations, drain.

-- The channel of a row that moves to another generation: the class suffix stays. The placeholder has no
-- generation part and gets one, so that the new generation's listeners hear of the row. A suffix that the longer
-- number leaves no room for goes: a row that cannot be moved would be worse than one that any worker may claim.
create function core.outbox_channel_at(p_channel text, p_generation bigint) returns text
    language sql immutable security definer set search_path = pg_catalog, pg_temp
as $$
    select case when p_channel = 'outbox_default' or octet_length(c.channel) > 63
                then 'outbox_gen_' || p_generation else c.channel end
    from (select regexp_replace(p_channel, '^outbox_gen_[0-9]+', 'outbox_gen_' || p_generation)) as c (channel)
$$;
revoke all on function core.outbox_channel_at(text, bigint) from public;

-- Gives a dead letter another cycle at a generation of the operator's choice. The row keeps its id and its
-- idempotency key, so handlers that succeeded before do not run again; for a row that is older than the dedup
-- records are kept nothing would stop them, hence p_force. A generation that nobody will ever work at is refused.
create function core.outbox_replay(
    p_event_id uuid, p_new_generation bigint, p_replayed_by text default null, p_force boolean default false,
    p_dedup_horizon interval default '60 days')
returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    o        core.outbox;
    v_target text := (select d.status from core.deployments d where d.generation = p_new_generation);
begin
    select * into o from core.outbox b where b.id = p_event_id for update;
    if not found then
        raise exception 'no event % in the outbox', p_event_id
            using errcode = 'no_data_found', hint = 'List dead letters with: cuebox dlq list';
    elsif o.deleted_at is not null then
        raise exception 'event % was discarded at % and cannot be replayed', p_event_id, o.deleted_at
            using errcode = 'object_not_in_prerequisite_state';
    elsif o.status <> 'failed' then
        raise exception 'event % is %, only failed events can be replayed', p_event_id, o.status
            using errcode = 'object_not_in_prerequisite_state';
    elsif p_new_generation is null or p_new_generation <= 0 then
        raise exception 'cannot replay event % to generation %', p_event_id,
                coalesce(p_new_generation::text, 'null')
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
    elsif o.created_at < now() - p_dedup_horizon and p_force is not true then
        raise exception 'event % was created at %, before the dedup horizon of %: handlers that succeeded '
                'then would run again', p_event_id, o.created_at, p_dedup_horizon
            using errcode = 'object_not_in_prerequisite_state', hint = 'Pass p_force => true if that is fine.';
    end if;

    update core.outbox b
        set failure_history = o.failure_history || jsonb_build_object(
                'cycle', jsonb_array_length(o.failure_history) + 1, 'attempts', o.attempts,
                'last_error', o.last_error, 'first_failed_at', o.first_failed_at,
                'failed_at', coalesce(o.failed_at, o.claimed_at),
                'replayed_at', clock_timestamp(), 'replayed_by', p_replayed_by),
            attempts = 0, last_error = null, first_failed_at = null, failed_at = null,
            generation = p_new_generation, channel = core.outbox_channel_at(o.channel, p_new_generation),
            status = 'pending', claimed_at = null, claimed_by = null, claim_token = null,
            -- Below the new generation's floor, most likely: outbox_due is where it will be found.
            available_at = core.outbox_due_at(o.created_at, interval '0')
        where b.id = p_event_id;
    perform core.outbox_wake(array[p_event_id]);
end
$$;
revoke all on function core.outbox_replay(uuid, bigint, text, boolean, interval) from public;

-- Tombstones a dead letter; the retention sweep deletes it later. The plain update of the runbook does the same.
create function core.outbox_discard(p_event_id uuid, p_discarded_by text default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    o core.outbox;
begin
    select * into o from core.outbox b where b.id = p_event_id for update;
    if not found then
        raise exception 'no event % in the outbox', p_event_id using errcode = 'no_data_found';
    elsif o.deleted_at is not null then
        raise exception 'event % was discarded already, at %', p_event_id, o.deleted_at
            using errcode = 'object_not_in_prerequisite_state';
    elsif o.status <> 'failed' then
        raise exception 'event % is %, only failed events can be discarded', p_event_id, o.status
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    update core.outbox b
        set deleted_at = clock_timestamp(),
            failure_history = o.failure_history || jsonb_build_object(
                'cycle', jsonb_array_length(o.failure_history) + 1, 'attempts', o.attempts,
                'last_error', o.last_error, 'first_failed_at', o.first_failed_at,
                'failed_at', coalesce(o.failed_at, o.claimed_at),
                'discarded_at', clock_timestamp(), 'discarded_by', p_discarded_by)
        where b.id = p_event_id;
end
$$;
revoke all on function core.outbox_discard(uuid, text) from public;

-- The next deployment number. Who listened at the one before is taken to listen at this one too, until told
-- otherwise (core.unsubscribe): the first context to start there would have every broadcast to itself.
create function core.allocate_generation(p_label text) returns bigint
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
    return v_generation;
end
$$;
revoke all on function core.allocate_generation(text) from public;

-- Takes a generation out of service. While rows of it are unsettled, or workers of it are registered, it is
-- 'draining'; call again when they are done and it is 'retired'. Returns which of the two it is now. (Workers that
-- died and that none of their own is left to reap: core.outbox_reap(generation).)
--
-- Subscriptions stay: a producer may still publish, and without them a broadcast would be for whoever sees it first.
create function core.retire_generation(p_generation bigint) returns text
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
            using errcode = 'no_data_found', hint = 'select * from core.deployments lists them.';
    end if;
    return v_status;
end
$$;
revoke all on function core.retire_generation(bigint) from public;

-- Is any row of the generation pending or in flight?
create function core.outbox_has_open(p_generation bigint) returns boolean
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off
    set plan_cache_mode = force_generic_plan
as $$
begin
    return exists (select from core.outbox o
                   where o.generation = p_generation and o.available_at > o.created_at
                     and o.status in ('pending', 'in_flight') and o.deleted_at is null)
        or core.outbox_first_open(p_generation, core.outbox_floor_now(p_generation), 'infinity') is not null;
end
$$;
revoke all on function core.outbox_has_open(bigint) from public;

-- Moves up to p_limit pending rows of one generation to another; call until it returns 0. Each call that moved
-- rows leaves a record in core.drains. Dead letters go by replay.
create function core.outbox_drain(
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
        perform core.outbox_wake(v_moved);
    end if;
    return cardinality(v_moved);
end
$$;
revoke all on function core.outbox_drain(bigint, bigint, text, int) from public;

-- Operators stand in nobody's way, nor in a circle with anybody.
--
-- A settle takes its rows in the order of their places; operators used to lock theirs in the order of ids, rows in flight among
-- them. Two that met in the middle waited for each other until Postgres ended one. Now dead letters alone are locked, and of many
-- those that nobody has at this moment: within one call, who holds locks never waits for more.

-- Those of the rows that are dead letters, locked for the caller. One alone is waited for: this call holds no other.
create function core.outbox_lock_failed(p_ids uuid[]) returns uuid[]
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off
as $$
begin
    if cardinality(p_ids) = 1 then
        return array(select o.id from core.outbox o
                     where o.id = p_ids[1] and o.status = 'failed' and o.deleted_at is null
                     for update);
    end if;
    return array(select o.id from core.outbox o
                 where o.id = any(p_ids) and o.status = 'failed' and o.deleted_at is null
                 for update skip locked);
end
$$;
revoke all on function core.outbox_lock_failed(uuid[]) from public;

-- As they were, but for the locks. A dead letter that somebody else is busy with is refused, in words of its own.
create or replace function core.outbox_replay_many(
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
    v_mine   uuid[];
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

    v_mine := core.outbox_lock_failed(p_ids);
    return query
        with asked as (select distinct u.id from unnest(p_ids) as u (id)),
        judged as materialized (
            select a.id, o.deleted_at, o.status, o.created_at, o.generation, o.event_type,
                case when o.id is null then 'missing'
                     when o.deleted_at is not null or o.status <> 'failed' or o.id <> all(v_mine)
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
                 when j.id <> all(v_mine)
                 then format('event %s is being changed by somebody else, or was just now', j.id)
                 when j.created_at < now() - p_dedup_horizon
                 then format('event %s was created at %s, before the dedup horizon of %s: handlers that '
                             'succeeded then would run again', j.id, j.created_at, justify_hours(p_dedup_horizon))
                 else format('event %s was created at %s, and dedup records up to %s have been swept: handlers that '
                             'succeeded then would run again', j.id, j.created_at, v_swept) end,
            case when j.result = 'replayed' then null
                 when j.result = 'missing' then 'List dead letters with: cuebox dlq list'
                 when j.deleted_at is not null then 'Publish it again if it is needed after all.'
                 when j.status <> 'failed' then core.outbox_next_step(j.id, j.status)
                 when j.id <> all(v_mine) then 'Try again in a moment.'
                 else 'Pass p_force => true (cuebox dlq replay --force) if that is fine.' end
        from judged j;

    perform core.outbox_wake(array(
        select o.id from core.outbox o
        where o.id = any(p_ids) and o.status = 'pending' and o.generation = p_new_generation));
end
$$;

create or replace function core.outbox_discard_many(p_ids uuid[], p_discarded_by text default null)
returns table (id uuid, result text, reason text, hint text)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
    v_mine uuid[];
begin
    v_mine := core.outbox_lock_failed(p_ids);
    return query
        with asked as (select distinct u.id from unnest(p_ids) as u (id)),
        judged as materialized (
            select a.id, o.deleted_at, o.status,
                case when o.id is null then 'missing'
                     when o.deleted_at is not null or o.status <> 'failed' or o.id <> all(v_mine) then 'refused'
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
                 when j.status = 'failed'
                 then format('event %s is being changed by somebody else, or was just now', j.id)
                 else format('event %s is %s, only failed events can be discarded', j.id, j.status) end,
            case when j.result = 'discarded' then null
                 when j.result = 'missing' then 'List dead letters with: cuebox dlq list'
                 when j.deleted_at is null and j.status = 'failed' then 'Try again in a moment.'
                 else core.outbox_next_step(j.id, j.status) end
        from judged j;
end
$$;

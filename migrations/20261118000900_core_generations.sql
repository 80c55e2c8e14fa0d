-- A generation in use is a generation, whether somebody allocated it or not; and a replay goes where somebody listens.

-- Every generation that is known anywhere. Reads one index entry for each generation of the outbox.
create function core.known_generations() returns setof bigint
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select d.generation from core.deployments d
    union select s.generation from core.subscriptions s
    union select w.generation from core.workers w
    union select core.outbox_generations()
$$;
revoke all on function core.known_generations() from public;

-- The next deployment number: one more than the greatest that is known anywhere, so that no allocation hands out a number
-- in use. Where a row has the last number there is, the one after the greatest that a deployment or a worker has.
-- Who listened at the one before is taken to listen at this one too, until told otherwise (core.unsubscribe): the first
-- context to start there would have every broadcast to itself.
create or replace function core.allocate_generation(p_label text, p_allocated_by text) returns bigint
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_last       constant bigint := 9223372036854775807;
    v_generation bigint;
begin
    lock table core.deployments in exclusive mode;
    select coalesce(max(k.generation), 0) into v_generation from core.known_generations() as k (generation);
    if v_generation = v_last then
        select coalesce(max(k.generation), 0) into v_generation
        from (select d.generation from core.deployments d
              union select s.generation from core.subscriptions s
              union select w.generation from core.workers w) k
        where k.generation < v_last;
        while exists (select from core.outbox o where o.generation = v_generation + 1) loop
            v_generation := v_generation + 1;
        end loop;
    end if;
    v_generation := v_generation + 1;
    insert into core.deployments (generation, label) values (v_generation, p_label);
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

-- Takes a generation out of service. While rows of it are unsettled, or workers of it are registered, it is
-- 'draining'; call again when they are done and it is 'retired'. Returns which of the two it is now. (Workers that
-- died and that none of their own is left to reap: core.outbox_reap(generation).) A generation that is in use and was
-- never allocated is adopted first.
--
-- Subscriptions stay: a producer may still publish, and without them a broadcast would be for whoever sees it first.
create or replace function core.retire_generation(p_generation bigint, p_retired_by text) returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_status  text;
    v_adopted boolean;
begin
    lock table core.deployments in exclusive mode;
    if not exists (select from core.known_generations() as k (generation) where k.generation = p_generation) then
        raise exception 'no generation %', p_generation
            using errcode = 'no_data_found', hint = 'List them with: cuebox generation list';
    end if;
    insert into core.deployments (generation, label, started_at)
        select p_generation, '', coalesce(
            (select min(s.since) from core.subscriptions s where s.generation = p_generation), now())
        on conflict do nothing;
    v_adopted := found;
    v_status := case when core.outbox_has_open(p_generation)
                          or exists (select from core.workers w where w.generation = p_generation)
                     then 'draining' else 'retired' end;
    update core.deployments d
        set status = v_status, retired_at = case v_status when 'retired' then coalesce(d.retired_at, now()) end
        where d.generation = p_generation;
    insert into core.operator_actions (actor, action, detail)
        values (p_retired_by, 'retire_generation',
                jsonb_build_object('generation', p_generation, 'status', v_status)
                || case when v_adopted then '{"adopted": true}' else '{}' end::jsonb);
    return v_status;
end
$$;

-- Where a replay of such a row goes unless told: its own generation if somebody listens there for its type and target,
-- else the newest at which somebody does, else nowhere (null). To listen is to have a handler: a subscription at a
-- generation that is not retired. Where a worker of that context lives goes before where one is only awaited,
-- and of those only a generation that is in service counts.
create function core.generation_for(p_event_type text, p_target text, p_own bigint) returns bigint
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select l.generation
    from (select s.generation, coalesce(d.status, 'active') as status,
              exists (select from core.workers w
                      where w.generation = s.generation and w.context = s.context
                        and not core.worker_is_gone(w, interval '300 seconds', interval '5 seconds')) as attended
          from core.subscriptions s left join core.deployments d on d.generation = s.generation
          where s.event_type = p_event_type and s.context = coalesce(p_target, s.context)) l
    where l.status = 'active' or l.status = 'draining' and l.attended
    order by l.attended desc, l.generation = p_own desc, l.generation desc
    limit 1
$$;
revoke all on function core.generation_for(text, text, bigint) from public;

-- The rules of a replay, as they were, but for where it goes: with p_new_generation null each row goes its own way
-- (core.generation_for), and the result tells where it went.
drop function core.outbox_replay_many(uuid[], bigint, text, boolean, interval);
create function core.outbox_replay_many(
    p_ids uuid[], p_new_generation bigint default null, p_replayed_by text default null, p_force boolean default false,
    p_dedup_horizon interval default '60 days')
returns table (id uuid, result text, reason text, hint text, generation bigint)
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
    if p_new_generation <= 0 then
        raise exception 'cannot replay to generation %', p_new_generation
            using errcode = 'invalid_parameter_value', hint = 'List them with: cuebox generation list';
    elsif v_target = 'retired' then
        raise exception 'generation % is retired: the event would be stranded there', p_new_generation
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'List them with: cuebox generation list';
    elsif p_new_generation is not null and v_target is null
          and not exists (select from core.subscriptions s where s.generation = p_new_generation) then
        raise exception 'generation % was never allocated and nobody listens at it: the event would be stranded '
                'there', p_new_generation
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'List them with: cuebox generation list';
    end if;

    v_mine := core.outbox_lock_failed(p_ids);
    return query
        with asked as (select distinct u.id from unnest(p_ids) as u (id)),
        -- Rows of one type, target and generation go the same way.
        homes as materialized (
            select k.*, coalesce(p_new_generation, core.generation_for(k.event_type, k.target, k.generation)) as goes_to
            from (select distinct o.event_type, o.target, o.generation
                  from asked a join core.outbox o on o.id = a.id) k),
        judged as materialized (
            select a.id, o.deleted_at, o.status, o.created_at, o.generation, o.event_type, o.target, h.goes_to,
                case when o.id is null then 'missing'
                     when o.deleted_at is not null or o.status <> 'failed' or o.id <> all(v_mine)
                          or (o.created_at < now() - p_dedup_horizon or o.created_at <= v_swept)
                             and p_force is not true
                          or h.goes_to is null then 'refused'
                     else 'replayed' end as result
            from asked a
            left join core.outbox o on o.id = a.id
            left join homes h on h.event_type = o.event_type and h.target is not distinct from o.target
                             and h.generation = o.generation),
        replayed as (
            update core.outbox o
            set failure_history = o.failure_history || jsonb_build_object(
                    'cycle', jsonb_array_length(o.failure_history) + 1, 'attempts', o.attempts,
                    'last_error', o.last_error, 'handler', o.last_handler, 'first_failed_at', o.first_failed_at,
                    'failed_at', coalesce(o.failed_at, o.claimed_at),
                    'replayed_at', clock_timestamp(), 'replayed_by', p_replayed_by),
                attempts = 0, last_error = null, last_handler = null, first_failed_at = null, failed_at = null,
                generation = j.goes_to, channel = core.outbox_channel_at(o.channel, j.goes_to),
                status = 'pending', claimed_at = null, claimed_by = null, claim_token = null,
                -- Below the new generation's floor, most likely: outbox_due is where it will be found.
                available_at = core.outbox_due_at(o.created_at, interval '0')
            from judged j
            where o.id = j.id and j.result = 'replayed'
            returning o.id, o.event_type, j.generation, j.goes_to, jsonb_array_length(o.failure_history) as cycle,
                o.created_at),
        audited as (
            insert into core.operator_actions (actor, action, row_id, event_type, detail)
            select p_replayed_by, 'replay', r.id, r.event_type, jsonb_build_object(
                'cycle', r.cycle, 'from', r.generation, 'to', r.goes_to,
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
                 when j.goes_to is null
                 then format('no context listens for %s%s at any generation, so event %s would be stranded',
                             j.event_type, ' with target ' || j.target, j.id)
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
                 when j.goes_to is null
                 then 'Start a worker that has a handler for it, or name an allocated generation with --to.'
                 else 'Pass p_force => true (cuebox dlq replay --force) if that is fine.' end,
            case when j.result = 'replayed' then j.goes_to end
        from judged j;

    perform core.outbox_wake(array(
        select o.id from core.outbox o
        where o.id = any(v_mine) and o.status = 'pending'));
end
$$;
revoke all on function core.outbox_replay_many(uuid[], bigint, text, boolean, interval) from public;

-- Whose failure a dead letter is.
--
-- Functions that get a further argument keep their old form beside the new one: workers of the version before
-- run on while the schema is a step ahead of them.

-- The handler whose failure last_error tells of; null when its worker died. In no index: settles stay HOT.
alter table core.outbox add column last_handler text;

-- As core.outbox_settle was, with the name of the handler that failed. p_outcomes says what became of each row.
create function core.outbox_settle(
    p_ids uuid[], p_tokens uuid[], p_outcomes text[], p_retry_in interval[], p_errors text[], p_handlers text[])
returns setof uuid
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_settled uuid[];
begin
    with done as (
        update core.outbox o
        set status = case s.outcome when 'retry' then 'pending' when 'released' then 'pending'
                                    else s.outcome end,
            delivered_at = case s.outcome when 'delivered' then clock_timestamp() end,
            failed_at = case s.outcome when 'failed' then clock_timestamp() end,
            available_at = case s.outcome
                when 'retry' then core.outbox_due_at(o.created_at, s.retry_in)
                when 'released' then core.outbox_due_at(o.created_at, interval '0')
                else least(o.available_at, o.created_at) end,
            attempts = o.attempts + (s.outcome = 'retry')::int,
            last_error = case when s.outcome in ('retry', 'failed') then s.error else o.last_error end,
            last_handler = case when s.outcome in ('retry', 'failed') then s.handler else o.last_handler end,
            first_failed_at = case when s.outcome in ('retry', 'failed')
                then coalesce(o.first_failed_at, clock_timestamp()) else o.first_failed_at end,
            -- A dead letter remembers its last claim: the runbook reads claimed_at as its time of failure.
            claimed_at = case when s.outcome = 'failed' then clock_timestamp()
                              when s.outcome = 'delivered' then o.claimed_at end,
            claimed_by = case when s.outcome in ('delivered', 'failed') then o.claimed_by end,
            claim_token = null
        from (select * from unnest(p_ids, p_tokens, p_outcomes, p_retry_in, p_errors, p_handlers)
                  as u (id, token, outcome, retry_in, error, handler) order by u.id) s
        where o.id = s.id and o.claim_token = s.token
        returning o.id)
    select array_agg(d.id) into v_settled from done d;

    -- What was given back can run elsewhere at once.
    perform core.outbox_wake(array(
        select s.id from unnest(p_ids, p_outcomes) as s (id, outcome)
        where s.outcome = 'released' and s.id = any(v_settled)));

    if cardinality(v_settled) is distinct from cardinality(p_ids) then
        return query select i.id from unnest(p_ids) as i (id) where i.id <> all(coalesce(v_settled, '{}'));
    end if;
end
$$;
revoke all on function core.outbox_settle(uuid[], uuid[], text[], interval[], text[], text[]) from public;

-- All delivered, which is nearly always; or outcomes without the names of handlers.
create or replace function core.outbox_settle(
    p_ids uuid[], p_tokens uuid[], p_outcomes text[] default null, p_retry_in interval[] default null,
    p_errors text[] default null)
returns setof uuid
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_settled uuid[];
begin
    if p_outcomes is not null then
        return query select * from core.outbox_settle(p_ids, p_tokens, p_outcomes, p_retry_in, p_errors, null);
        return;
    end if;
    with done as (
        update core.outbox o
        set status = 'delivered', delivered_at = clock_timestamp(), claim_token = null,
            available_at = least(o.available_at, o.created_at)
        from (select * from unnest(p_ids, p_tokens) as u (id, token) order by u.id) s
        where o.id = s.id and o.claim_token = s.token
        returning o.id)
    select array_agg(d.id) into v_settled from done d;
    if cardinality(v_settled) is distinct from cardinality(p_ids) then
        return query select i.id from unnest(p_ids) as i (id) where i.id <> all(coalesce(v_settled, '{}'));
    end if;
end
$$;

-- The same for rows that core.outbox_claim_locked locked in this transaction.
create function core.outbox_settle_locked(
    p_places tid[], p_ids uuid[], p_outcomes text[], p_retry_in interval[], p_errors text[], p_worker text,
    p_handlers text[])
returns setof uuid
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_settled uuid[];
begin
    with done as (
        update core.outbox o
        set status = case s.outcome when 'retry' then 'pending' else s.outcome end,
            delivered_at = case s.outcome when 'delivered' then clock_timestamp() end,
            failed_at = case s.outcome when 'failed' then clock_timestamp() end,
            available_at = case s.outcome
                when 'retry' then core.outbox_due_at(o.created_at, s.retry_in)
                else least(o.available_at, o.created_at) end,
            attempts = o.attempts + (s.outcome = 'retry')::int,
            last_error = coalesce(s.error, o.last_error),
            last_handler = case when s.outcome in ('retry', 'failed') then s.handler else o.last_handler end,
            first_failed_at = case when s.outcome in ('retry', 'failed')
                then coalesce(o.first_failed_at, clock_timestamp()) else o.first_failed_at end,
            claimed_at = case when s.outcome = 'failed' then clock_timestamp() end,
            claimed_by = case when s.outcome = 'failed' then p_worker end
        from unnest(p_places, p_ids, p_outcomes, p_retry_in, p_errors, p_handlers)
            as s (place, id, outcome, retry_in, error, handler)
        where o.ctid = s.place and o.id = s.id and o.status = 'pending'
          and s.outcome <> 'released'   -- the end of the transaction gives it back
        returning o.id)
    select array_agg(d.id) || array(
            select s.id from unnest(p_ids, p_outcomes) as s (id, outcome) where s.outcome = 'released')
        into v_settled from done d;
    if cardinality(v_settled) is distinct from cardinality(p_ids) then
        return query select i.id from unnest(p_ids) as i (id) where i.id <> all(coalesce(v_settled, '{}'));
    end if;
end
$$;
revoke all on function core.outbox_settle_locked(tid[], uuid[], text[], interval[], text[], text, text[])
    from public;

create or replace function core.outbox_settle_locked(
    p_places tid[], p_ids uuid[], p_outcomes text[] default null, p_retry_in interval[] default null,
    p_errors text[] default null, p_worker text default null)
returns setof uuid
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_settled uuid[];
begin
    if p_outcomes is not null then
        return query select * from core.outbox_settle_locked(p_places, p_ids, p_outcomes, p_retry_in, p_errors,
                                                             p_worker, null);
        return;
    end if;
    with done as (
        update core.outbox o
        set status = 'delivered', delivered_at = clock_timestamp(),
            available_at = least(o.available_at, o.created_at)
        from unnest(p_places, p_ids) as s (place, id)
        where o.ctid = s.place and o.id = s.id and o.status = 'pending'
        returning o.id)
    select array_agg(d.id) into v_settled from done d;
    if cardinality(v_settled) is distinct from cardinality(p_ids) then
        return query select i.id from unnest(p_ids) as i (id) where i.id <> all(coalesce(v_settled, '{}'));
    end if;
end
$$;

-- As it was, but for last_handler.
create or replace function core.outbox_reap(
    p_generation bigint, p_context text default null, p_max_retries int default 5,
    p_type_limits jsonb default '{}', p_lease interval default '300 seconds',
    p_grace interval default '5 seconds', p_expired boolean default true)
returns table (id uuid, event_type text, source text, target text, attempts int, outcome text, worker text,
               last_error text)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off
    set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_now     timestamptz := clock_timestamp();
    v_expiry  timestamptz := case when p_expired then v_now - p_lease else '-infinity' end;
    -- A row in flight was due when it was claimed, so those that wait need no look. The margin is for rows that
    -- are being parked right now, and for a clock that is corrected.
    v_until   timestamptz := v_now + interval '10 seconds';
    v_floor   timestamptz := core.outbox_floor_now(p_generation);
    v_gone    text[];
    v_ours    text[];
    v_others  text[];
    v_places  tid[];
    v_reaped  uuid[];
    v_left    text[];
begin
    -- One reaper at a time sees a dead worker, the others skip its row; and no living worker's heartbeat has to
    -- wait for this transaction.
    v_gone := array(
        select w.id from (select * from core.workers k
                          where k.generation = p_generation and (p_context is null or k.context = p_context)
                            and k.heartbeat_at <= v_now - p_grace
                          for update skip locked) w
        where core.worker_is_gone(w, p_lease, p_grace));
    if v_gone = '{}' and not p_expired then
        return;
    end if;

    -- An expired lease is the context's whose worker holds it. If nobody knows the worker any more, the row tells.
    v_ours := array(select w.id from core.workers w where w.context = p_context);
    v_others := array(select w.id from core.workers w where w.context <> p_context);

    v_places := array(
        select o.ctid from core.outbox o
        where o.generation = p_generation and o.created_at >= v_floor and o.available_at <= o.created_at
          and o.status = 'in_flight'
          and (o.claimed_by = any(v_gone)
               or o.claimed_at < v_expiry
                  and (p_context is null or o.claimed_by = any(v_ours)
                       or (o.target = p_context or o.target is null)
                          and coalesce(o.claimed_by, '') <> all(v_others)))
        for update skip locked);
    v_places := v_places || array(
        select o.ctid from core.outbox o
        where o.generation = p_generation and o.available_at > o.created_at and o.available_at <= v_until
          and o.status = 'in_flight'
          and (o.claimed_by = any(v_gone)
               or o.claimed_at < v_expiry
                  and (p_context is null or o.claimed_by = any(v_ours)
                       or (o.target = p_context or o.target is null)
                          and coalesce(o.claimed_by, '') <> all(v_others)))
        for update skip locked);

    -- A transactional handler that kills its process leaves no trace on its row, only in its worker's list. (A
    -- row of the list that became due after the list was written is not it: that one was settled before.)
    v_places := v_places || array(
        select o.ctid from core.workers w cross join lateral unnest(w.running) as r (id)
        join core.outbox o on o.id = r.id
        where w.id = any(v_gone) and o.status = 'pending' and o.deleted_at is null
          and o.available_at <= w.running_at
        for update of o skip locked);

    v_reaped := array(select o.id from core.outbox o where o.ctid = any(v_places));
    perform core.outbox_wake(v_reaped);

    return query
        with verdicts as (
            select o.ctid as place,
                coalesce(o.claimed_by, (select w.id from core.workers w
                                        where w.id = any(v_gone) and o.id = any(w.running) limit 1)) as worker,
                case when o.status = 'in_flight' and not exists (
                              select from core.workers w where w.id = o.claimed_by and o.id = any(w.running))
                     then 'released'
                     when o.attempts >= coalesce((p_type_limits ->> o.event_type)::int, p_max_retries) then 'failed'
                     else 'retry' end as outcome
            from core.outbox o where o.ctid = any(v_places)),
        reaped as (
            update core.outbox o
            set status = case v.outcome when 'failed' then 'failed' else 'pending' end,
                failed_at = case v.outcome when 'failed' then clock_timestamp() end,
                attempts = o.attempts + (v.outcome = 'retry')::int,
                available_at = case v.outcome when 'failed' then least(o.available_at, o.created_at)
                                    else core.outbox_due_at(o.created_at, interval '0') end,
                first_failed_at = case v.outcome when 'released' then o.first_failed_at
                                       else coalesce(o.first_failed_at, clock_timestamp()) end,
                last_error = case
                    when v.outcome = 'released' then o.last_error
                    when o.status = 'pending' or o.claimed_by = any(v_gone)
                    then 'worker died: ' || v.worker || ' ended while it handled this event'
                    else 'lease lost: ' || v.worker || ' did not renew it within ' || p_lease end,
                -- The death of a worker is no handler's failure.
                last_handler = case v.outcome when 'released' then o.last_handler end,
                claimed_at = case v.outcome when 'failed' then clock_timestamp() end,
                claimed_by = case v.outcome when 'failed' then v.worker end,
                claim_token = null
            from verdicts v
            where o.ctid = v.place
            returning o.id, o.event_type, o.source, o.target, o.attempts, v.outcome, v.worker, o.last_error)
        select * from reaped;
    if v_gone = '{}' then
        return;
    end if;

    -- A row that was locked just now was passed by. Its worker stays on record until a later call gets it, without
    -- what it has been charged for.
    update core.workers w set running = array(select r.id from unnest(w.running) as r (id) where r.id <> all(v_reaped))
        where w.id = any(v_gone);
    v_left := array(
        select o.claimed_by from core.outbox o
        where o.generation = p_generation and o.created_at >= v_floor and o.available_at <= o.created_at
          and o.status = 'in_flight' and o.claimed_by = any(v_gone)
        union all
        select o.claimed_by from core.outbox o
        where o.generation = p_generation and o.available_at > o.created_at and o.available_at <= v_until
          and o.status = 'in_flight' and o.claimed_by = any(v_gone)
        union all
        select w.id from core.workers w cross join lateral unnest(w.running) as r (id)
        join core.outbox o on o.id = r.id
        where w.id = any(v_gone) and o.status = 'pending' and o.deleted_at is null
          and o.available_at <= w.running_at);
    delete from core.workers w where w.id = any(v_gone) and w.id <> all(v_left);
end
$$;

-- The same with the ids of the events: a copy of a broadcast has another one than its row.
create function core.outbox_reap_events(
    p_generation bigint, p_context text default null, p_max_retries int default 5,
    p_type_limits jsonb default '{}', p_lease interval default '300 seconds',
    p_grace interval default '5 seconds', p_expired boolean default true)
returns table (id uuid, event_id uuid, event_type text, source text, target text, attempts int, outcome text,
               worker text, last_error text)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
    return query
        select r.id, coalesce(o.event_id, r.id), r.event_type, r.source, r.target, r.attempts, r.outcome, r.worker,
            r.last_error
        from core.outbox_reap(p_generation, p_context, p_max_retries, p_type_limits, p_lease, p_grace, p_expired) r
        left join core.outbox o on o.id = r.id;
end
$$;
revoke all on function core.outbox_reap_events(bigint, text, int, jsonb, interval, interval, boolean) from public;

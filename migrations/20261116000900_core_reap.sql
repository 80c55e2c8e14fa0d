-- Reaping: rows whose worker is gone, or whose lease ran out, go back.

-- Is the worker gone? Its session's lock is free (or it has none and its lease ran out), and it has not been
-- heard of for p_grace, so that a session which merely reconnects keeps its rows.
create function core.worker_is_gone(w core.workers, p_lease interval, p_grace interval) returns boolean
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    c_lock_class constant int := 1668637026;
begin
    if w.heartbeat_at > clock_timestamp() - p_grace then
        return false;
    elsif w.lock_key is null then
        return w.heartbeat_at < clock_timestamp() - p_lease;
    end if;
    -- Looked at, not tried: a worker that reaps in its own session would get its own lock a second time.
    return not exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
          and l.database = (select d.oid from pg_database d where d.datname = current_database())
          and l.classid = c_lock_class::oid and l.objid::bigint = w.lock_key);
end
$$;
revoke all on function core.worker_is_gone(core.workers, interval, interval) from public;

-- How many registered workers of a context are gone and did not say goodbye: whoever starts asks this, to reap at
-- once. No grace: it changes nothing. Behind a pooler a worker counts as gone after the default lease.
create function core.workers_lost(p_context text, p_generation bigint) returns int
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
    select count(*)::int from core.workers w
    where w.context = p_context and w.generation = p_generation
      and core.worker_is_gone(w, interval '300 seconds', interval '0')
$$;
revoke all on function core.workers_lost(text, bigint) from public;

-- Frees rows of workers that are gone and, with p_expired, rows whose lease ran out: those of one context, because
-- lease and limits are the caller's own and other contexts have others. Null is every context, for operators.
-- A row that was running costs one attempt, or becomes a dead letter when its retries are used up: p_type_limits
-- ({"event type": retries}), else p_max_retries. The others go back for free. Returns what became of each row:
-- 'retry', 'failed' or 'released'.
create function core.outbox_reap(
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
revoke all on function core.outbox_reap(bigint, text, int, jsonb, interval, interval, boolean) from public;

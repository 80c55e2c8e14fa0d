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

-- Frees rows of workers that are gone, of every context of the generation, and, with p_expired, rows whose
-- lease ran out. A row that was running costs one attempt, or becomes a dead letter when p_max_retries are used
-- up; the others go back for free. Returns what became of each row: 'retry', 'failed' or 'released'.
create function core.outbox_reap(
    p_generation bigint, p_max_retries int default 5, p_lease interval default '300 seconds',
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
    v_gone    text[];
    v_running uuid[];
    v_floor   timestamptz := core.outbox_floor_now(p_generation);
    v_places  tid[];
begin
    -- One reaper at a time sees a dead worker, the others skip its row; and no living worker's heartbeat has to
    -- wait for this transaction.
    v_gone := array(
        select w.id from (select * from core.workers k
                          where k.generation = p_generation and k.heartbeat_at <= clock_timestamp() - p_grace
                          for update skip locked) w
        where core.worker_is_gone(w, p_lease, p_grace));
    if v_gone = '{}' and not p_expired then
        return;
    end if;

    -- Running rows of the gone, and of the living: the lease of one of theirs may have run out.
    v_running := array(select unnest(w.running) from core.workers w where w.generation = p_generation);

    v_places := array(
        select o.ctid from core.outbox o
        where o.generation = p_generation and o.created_at >= v_floor and o.available_at <= o.created_at
          and o.status = 'in_flight'
          and (o.claimed_by = any(v_gone) or o.claimed_at < clock_timestamp() - p_lease)
        for update skip locked);
    v_places := v_places || array(
        select o.ctid from core.outbox o
        where o.generation = p_generation and o.available_at > o.created_at
          and o.status = 'in_flight'
          and (o.claimed_by = any(v_gone) or o.claimed_at < clock_timestamp() - p_lease)
        for update skip locked);

    -- A transactional handler that kills its process leaves no trace on its row, only in its worker's list. (A
    -- row of the list that is due later is not it: that one was settled before.)
    v_places := v_places || array(
        select o.ctid from core.outbox o
        where o.id in (select unnest(w.running) from core.workers w where w.id = any(v_gone))
          and o.status = 'pending' and o.deleted_at is null and o.available_at <= clock_timestamp()
        for update skip locked);

    perform core.outbox_wake(array(select o.id from core.outbox o where o.ctid = any(v_places)));

    return query
        with verdicts as (
            select o.ctid as place,
                coalesce(o.claimed_by, (select w.id from core.workers w
                                        where w.id = any(v_gone) and o.id = any(w.running) limit 1)) as worker,
                case when o.id <> all(v_running) then 'released'
                     when o.attempts >= p_max_retries then 'failed'
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

    delete from core.workers w where w.id = any(v_gone);
end
$$;
revoke all on function core.outbox_reap(bigint, int, interval, interval, boolean) from public;

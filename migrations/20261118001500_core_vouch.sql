-- A process whose thread a handler blocks is alive. It says so from another thread: the worker counts as heard of, and
-- what it holds stays its own. p_running, the row whose handler blocks, counts as running from now on: the thread may have
-- been blocked before the worker could name it, and it pays when the lease runs out. Rows that another has taken by then have another name on them, and are left alone; so are
-- locked ones, which are being settled or taken away right now. Returns how many leases were renewed; null: the worker is
-- not registered any more.
create function core.worker_vouch(p_worker text, p_running uuid default null) returns int
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off
    set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_now        timestamptz := clock_timestamp();
    v_generation bigint;
    v_floor      timestamptz;
    v_places     tid[];
begin
    update core.workers w
        set heartbeat_at = v_now, running_at = v_now,
            running = case when p_running <> all(w.running) then w.running || p_running else w.running end
        where w.id = p_worker returning w.generation into v_generation;
    if not found then
        return null;
    end if;
    v_floor := core.outbox_floor_now(v_generation);
    v_places := array(
        select o.ctid from core.outbox o
        where o.generation = v_generation and o.created_at >= v_floor and o.available_at <= o.created_at
          and o.status = 'in_flight' and o.claimed_by = p_worker
        for update skip locked);
    v_places := v_places || array(
        select o.ctid from core.outbox o
        where o.generation = v_generation and o.available_at > o.created_at
          and o.available_at <= v_now + interval '10 seconds'
          and o.status = 'in_flight' and o.claimed_by = p_worker
        for update skip locked);
    update core.outbox o set claimed_at = v_now where o.ctid = any(v_places);
    return cardinality(v_places);
end
$$;
revoke all on function core.worker_vouch(text, uuid) from public;

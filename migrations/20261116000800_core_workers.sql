-- Workers: who is alive, what they listen for, and what happens to the rows of those who are not.

-- Says that a process of a context runs. Call it on the session that will stay open for as long as the process
-- lives: the session then holds an advisory lock, and the end of the session is the end of the worker. Calling
-- it again, after a reconnect, takes the lock anew. Behind a transaction pooler pass p_session => false.
-- A name that another process had is the caller's from now on; what that one ran is not running any more. The
-- list of a process that merely calls again stays: its handlers still run.
create function core.worker_register(
    p_worker text, p_context text, p_generation bigint, p_host text, p_pid int,
    p_session boolean default true)
returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    c_lock_class constant int := 1668637026;   -- 'cueb'; the same in unregister, reap and metrics_workers
    v_key int := case when p_session then nextval('core.worker_lock_keys') end;
begin
    if p_session then
        perform pg_advisory_lock(c_lock_class, v_key);
    end if;
    insert into core.workers as w (id, context, generation, host, pid, lock_key)
    values (p_worker, p_context, p_generation, p_host, p_pid, v_key)
    on conflict (id) do update
        set heartbeat_at = clock_timestamp(), lock_key = excluded.lock_key, context = excluded.context,
            generation = excluded.generation, host = excluded.host, pid = excluded.pid,
            running = case when (w.context, w.generation, w.host, w.pid)
                              = (excluded.context, excluded.generation, excluded.host, excluded.pid)
                           then w.running else '{}' end;
end
$$;
revoke all on function core.worker_register(text, text, bigint, text, int, boolean) from public;

-- Every few seconds. False: the worker is not registered (any more): register again.
create function core.worker_heartbeat(p_worker text, p_holding int default 0, p_listening boolean default false)
returns boolean
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    w core.workers;
begin
    update core.workers set heartbeat_at = clock_timestamp(), holding = p_holding, listening = p_listening
        where id = p_worker returning * into w;
    if not found then
        return false;
    end if;
    -- What is locked is being seen to by somebody else; waiting for it could be mutual.
    update core.subscriptions set seen_at = clock_timestamp()
        where ctid = any(array(
            select s.ctid from core.subscriptions s
            where s.generation = w.generation and s.context = w.context
              and s.seen_at < clock_timestamp() - interval '1 minute'
            for update skip locked));
    return true;
end
$$;
revoke all on function core.worker_heartbeat(text, int, boolean) from public;

-- Says which rows' handlers run from now on (all of them, each time). To be committed before a handler starts:
-- if the worker dies, these rows cost an attempt, so an event that kills its worker ends as a dead letter.
-- It need not be durable, only visible: synchronous_commit = off is enough.
create function core.worker_running(p_worker text, p_rows uuid[]) returns void
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
    update core.workers set running = p_rows, running_at = clock_timestamp() where id = p_worker
$$;
revoke all on function core.worker_running(text, uuid[]) from public;

-- A clean end: nothing is running, everything was settled or released.
create function core.worker_unregister(p_worker text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    c_lock_class constant int := 1668637026;
    v_key int;
begin
    delete from core.workers where id = p_worker returning lock_key into v_key;
    if v_key is not null then
        perform pg_advisory_unlock(c_lock_class, v_key);
    end if;
end
$$;
revoke all on function core.worker_unregister(text) from public;

-- Says that a context listens for these event types at a generation. Adds, never removes: another process of
-- the same context may listen for more. In the order of the key, so that two processes do not wait for each other.
create function core.subscribe(p_context text, p_generation bigint, p_event_types text[]) returns void
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
    insert into core.subscriptions (generation, event_type, context)
    select distinct p_generation, t.name, p_context from unnest(p_event_types) as t (name) order by t.name
    on conflict (generation, event_type, context) do update set seen_at = clock_timestamp()
$$;
revoke all on function core.subscribe(text, bigint, text[]) from public;

create function core.unsubscribe(p_context text, p_generation bigint, p_event_types text[]) returns void
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
    delete from core.subscriptions
    where generation = p_generation and context = p_context and event_type = any(p_event_types)
$$;
revoke all on function core.unsubscribe(text, bigint, text[]) from public;

-- What workers do with whole batches, each in the shape that costs the server least.
--
-- Measured in one session, a thousand rows to a call: a dedup record 4.5 us with ON CONFLICT and 2.5 without, a settle
-- 4.6 us by a join of what is given with the table and 3.4 by the places alone, a locking claim 3.3 us in two passes
-- and 2.8 in one. The dear shapes stay for what they alone can do.

-- The gate of dedup: writes what is handled, and returns the positions, from 1, of what was there already; of two
-- alike in one call the second. An INSERT that has no ON CONFLICT looks at the index once and writes one record
-- of WAL less, so it comes first, and where a key is taken the same again with ON CONFLICT. The primary key decides
-- either way. What it had written by then is left for vacuum: a caller that keeps meeting duplicates says so.
create function core.record_handled(
    p_handlers text[], p_keys text[], p_event_ids uuid[], p_classes text[], p_likely_new boolean default true)
returns setof int
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set plan_cache_mode = force_generic_plan
as $$
begin
    if p_likely_new then
        begin
            insert into core.event_handled (handler_name, idempotency_key, event_id, content_class)
                select unnest(p_handlers), unnest(p_keys), unnest(p_event_ids), unnest(p_classes);
            return;
        exception when unique_violation then
            null;
        end;
    end if;
    return query
        with fresh as (
            insert into core.event_handled (handler_name, idempotency_key, event_id, content_class)
                select unnest(p_handlers), unnest(p_keys), unnest(p_event_ids), unnest(p_classes)
                on conflict do nothing
                returning handler_name, idempotency_key),
        asked as (
            select u.handler, u.key, u.n, row_number() over (partition by u.handler, u.key order by u.n) as turn
            from unnest(p_handlers, p_keys) with ordinality as u (handler, key, n))
        select a.n::int from asked a
        left join fresh f on f.handler_name = a.handler and f.idempotency_key = a.key
        where f.handler_name is null or a.turn > 1
        order by a.n;
end
$$;
revoke all on function core.record_handled(text[], text[], uuid[], text[], boolean) from public;

-- Leased flow: rows of one claim, all delivered. p_places says where the claim put them, best in ascending order, and
-- p_ids who they are. Should one have moved or be another's by now, nothing is settled by place; the ids and the
-- token decide then, as in core.outbox_settle. Returns the ids it did not settle.
create function core.outbox_settle_delivered(p_token uuid, p_places tid[], p_ids uuid[])
returns setof uuid
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
    v_settled uuid[];
begin
    begin
        -- In the order of places, which is also the order of what it returns.
        with done as (
            update core.outbox o
            set status = 'delivered', delivered_at = clock_timestamp(), claim_token = null,
                available_at = least(o.available_at, o.created_at)
            where o.ctid = any(p_places) and o.claim_token = p_token
            returning o.id)
        select array_agg(d.id) into v_settled from done d;
        if v_settled = p_ids
           or v_settled = array(select s.id from unnest(p_places, p_ids) as s (place, id) order by s.place) then
            return;
        end if;
        raise exception 'rows have moved' using errcode = 'CB001';
    exception when sqlstate 'CB001' then
        null;
    end;
    return query select * from core.outbox_settle(p_ids, array_fill(p_token, array[cardinality(p_ids)]));
end
$$;
revoke all on function core.outbox_settle_delivered(uuid, tid[], uuid[]) from public;

-- All delivered, which is nearly always; or outcomes without the names of handlers. One row alone needs no join.
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
    if cardinality(p_ids) = 1 then
        update core.outbox o
            set status = 'delivered', delivered_at = clock_timestamp(), claim_token = null,
                available_at = least(o.available_at, o.created_at)
            where o.id = p_ids[1] and o.claim_token = p_tokens[1];
        if not found then
            return next p_ids[1];
        end if;
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

-- Transactional flow: all delivered, by their places, best in ascending order; otherwise, or where they lie is not who they
-- were said to be, pair by pair.
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
    begin
        with done as (
            update core.outbox o
            set status = 'delivered', delivered_at = clock_timestamp(),
                available_at = least(o.available_at, o.created_at)
            where o.ctid = any(p_places) and o.status = 'pending'
            returning o.id)
        select array_agg(d.id) into v_settled from done d;
        if v_settled = p_ids
           or v_settled = array(select s.id from unnest(p_places, p_ids) as s (place, id) order by s.place) then
            return;
        end if;
        raise exception 'rows are not where they were' using errcode = 'CB001';
    exception when sqlstate 'CB001' then
        null;
    end;
    with done as (
        update core.outbox o
        set status = 'delivered', delivered_at = clock_timestamp(),
            available_at = least(o.available_at, o.created_at)
        from unnest(p_places, p_ids) as s (place, id)
        where o.ctid = s.place and o.id = s.id and o.status = 'pending'
        returning o.id)
    select array_agg(d.id) into v_settled from done d;
    return query select i.id from unnest(p_ids) as i (id) where i.id <> all(coalesce(v_settled, '{}'));
end
$$;

-- Claiming in one statement each, where it was four: what a statement costs to start is most of a claim of one row. The
-- second half of the union is not begun when the first one fills the limit, so no more rows are locked than asked for.

-- Transactional flow. Locks and returns in one pass.
create or replace function core.outbox_claim_locked(
    p_generation bigint, p_context text, p_event_types text[], p_channels text[], p_limit int,
    p_from timestamptz, p_due_from timestamptz)
returns setof core.claimed_row
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    -- A variable is a bound of the index scan. The function itself would be a filter on each row that waits.
    v_now    timestamptz := clock_timestamp();
    -- Broadcasts that another context also listens for are left alone: core.outbox_expand makes rows of them first.
    v_shared text[] := array(
        select s.event_type from core.subscriptions s
        where s.generation = p_generation and s.event_type = any(p_event_types) and s.context <> p_context);
begin
    return query
        select * from (
            select * from (select o.id, coalesce(o.event_id, o.id), o.event_type, o.event_version, o.occurred_at, o.source,
                o.target, o.domain_id, o.payload, o.idempotency_key, o.trace_context, o.content_class, o.channel,
                o.attempts, o.available_at, o.created_at, o.ctid
             from core.outbox o
             where o.generation = p_generation and o.available_at > o.created_at
               and o.available_at >= p_due_from and o.available_at <= v_now
               and o.status = 'pending' and o.deleted_at is null
               and o.event_type = any(p_event_types)
               and (o.target = p_context or o.target is null and o.event_type <> all(v_shared))
               and (p_channels is null or o.channel = any(p_channels))
             order by o.available_at
             limit p_limit
             for update skip locked) due
            union all
            select * from (select o.id, coalesce(o.event_id, o.id), o.event_type, o.event_version, o.occurred_at, o.source,
                o.target, o.domain_id, o.payload, o.idempotency_key, o.trace_context, o.content_class, o.channel,
                o.attempts, o.available_at, o.created_at, o.ctid
             from core.outbox o
             where o.generation = p_generation and o.created_at >= p_from
               and o.available_at <= o.created_at
               and o.status = 'pending' and o.deleted_at is null
               and o.event_type = any(p_event_types)
               and (o.target = p_context or o.target is null and o.event_type <> all(v_shared))
               and (p_channels is null or o.channel = any(p_channels))
             order by o.created_at
             limit p_limit
             for update skip locked) ordinary) c
        limit p_limit;
end
$$;

-- Leased flow. The locked set is an array before anything is updated, since an UPDATE has no LIMIT. A row that was changed
-- after the statement began, and can still be claimed, may be locked and then not seen by it: the next claim gets it.
-- (core.outbox_lock_claimable is called by nobody any more, but perhaps by a claim that runs while this is applied.)
create or replace function core.outbox_claim(
    p_worker text, p_token uuid, p_generation bigint, p_context text, p_event_types text[],
    p_channels text[], p_limit int, p_from timestamptz, p_due_from timestamptz)
returns setof core.claimed_row
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    -- A variable is a bound of the index scan. The function itself would be a filter on each row that waits.
    v_now    timestamptz := clock_timestamp();
    -- Broadcasts that another context also listens for are left alone: core.outbox_expand makes rows of them first.
    v_shared text[] := array(
        select s.event_type from core.subscriptions s
        where s.generation = p_generation and s.event_type = any(p_event_types) and s.context <> p_context);
begin
    return query
        update core.outbox o
        set status = 'in_flight', claim_token = p_token, claimed_by = p_worker, claimed_at = clock_timestamp()
        where o.ctid = any(array(
            select c.place from (
                select * from (select o.ctid as place
                 from core.outbox o
                 where o.generation = p_generation and o.available_at > o.created_at
                   and o.available_at >= p_due_from and o.available_at <= v_now
                   and o.status = 'pending' and o.deleted_at is null
                   and o.event_type = any(p_event_types)
                   and (o.target = p_context or o.target is null and o.event_type <> all(v_shared))
                   and (p_channels is null or o.channel = any(p_channels))
                 order by o.available_at
                 limit p_limit
                 for update skip locked) due
                union all
                select * from (select o.ctid as place
                 from core.outbox o
                 where o.generation = p_generation and o.created_at >= p_from
                   and o.available_at <= o.created_at
                   and o.status = 'pending' and o.deleted_at is null
                   and o.event_type = any(p_event_types)
                   and (o.target = p_context or o.target is null and o.event_type <> all(v_shared))
                   and (p_channels is null or o.channel = any(p_channels))
                 order by o.created_at
                 limit p_limit
                 for update skip locked) ordinary) c
            limit p_limit))
        returning o.id, coalesce(o.event_id, o.id), o.event_type, o.event_version, o.occurred_at, o.source,
            o.target, o.domain_id, o.payload, o.idempotency_key, o.trace_context, o.content_class, o.channel,
            o.attempts, o.available_at, o.created_at, o.ctid;
end
$$;

-- The heartbeat of leases: renews those still held, returns the ids whose lease is lost. It waits for nobody: a row
-- that is locked is being settled or taken away right now, and is looked at again with the next beat. So the order
-- in which settles take their rows, by place or by id, is no matter to it.
create or replace function core.outbox_extend(p_ids uuid[], p_tokens uuid[]) returns setof uuid
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_places tid[] := array(
        -- A probe for each: a table that looks empty would be joined by reading all of it.
        select o.place from unnest(p_ids, p_tokens) as s (id, token),
            lateral (select r.ctid as place from core.outbox r where r.id = s.id and r.claim_token = s.token
                     for update skip locked) o);
begin
    update core.outbox o set claimed_at = clock_timestamp() where o.ctid = any(v_places);
    if cardinality(v_places) < cardinality(p_ids) then
        return query
            select s.id from unnest(p_ids, p_tokens) as s (id, token)
            where (select true from core.outbox o where o.id = s.id and o.claim_token = s.token) is null;
    end if;
end
$$;

-- A claimed version is larger than a published one, by the token, the time and the worker's name: a third of the page is
-- not quite enough for three versions of every row on it.
alter table core.outbox set (fillfactor = 30);

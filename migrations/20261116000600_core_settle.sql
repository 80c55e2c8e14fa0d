-- Settling: write what became of claimed rows, many in one statement.
--
-- Outcomes: 'delivered'; 'retry', due again in p_retry_in and one attempt dearer; 'failed', a dead letter;
-- 'released', given back untouched. A settled row leaves outbox_due (available_at falls to created_at); a row
-- that waits or goes back enters it, so that claimers find it without looking below their bound.
--
-- Settles and heartbeats wait for each other's row locks. They take them in the order of ids, whatever order the
-- ids are given in: what drives the join is the sorted list, or the primary key of a table that seems empty.
-- Otherwise two of them could wait for each other.

-- A time that puts a row into outbox_due even if the clock went back since the row was made.
create function core.outbox_due_at(p_created_at timestamptz, p_in interval) returns timestamptz
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select greatest(clock_timestamp() + p_in, p_created_at + interval '1 microsecond') $$;
revoke all on function core.outbox_due_at(timestamptz, interval) from public;

-- One wake per channel of these rows.
create function core.outbox_wake(p_ids uuid[]) returns void
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
    select pg_notify(c.channel, '') from (
        select distinct o.channel from core.outbox o where o.id = any(p_ids)) c
$$;
revoke all on function core.outbox_wake(uuid[]) from public;

-- Leased flow. p_tokens[i] is the token that p_ids[i] was claimed under. Without p_outcomes all are delivered.
-- Returns the ids it did not settle, because they are no longer held under that token: their lease was lost.
create function core.outbox_settle(
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
    if p_outcomes is null then
        with done as (
            update core.outbox o
            set status = 'delivered', delivered_at = clock_timestamp(), claim_token = null,
                available_at = least(o.available_at, o.created_at)
            from (select * from unnest(p_ids, p_tokens) as u (id, token) order by u.id) s
            where o.id = s.id and o.claim_token = s.token
            returning o.id)
        select array_agg(d.id) into v_settled from done d;
    else
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
                first_failed_at = case when s.outcome in ('retry', 'failed')
                    then coalesce(o.first_failed_at, clock_timestamp()) else o.first_failed_at end,
                -- A dead letter remembers its last claim: the runbook reads claimed_at as its time of failure.
                claimed_at = case when s.outcome = 'failed' then clock_timestamp()
                                  when s.outcome = 'delivered' then o.claimed_at end,
                claimed_by = case when s.outcome in ('delivered', 'failed') then o.claimed_by end,
                claim_token = null
            from (select * from unnest(p_ids, p_tokens, p_outcomes, p_retry_in, p_errors)
                      as u (id, token, outcome, retry_in, error) order by u.id) s
            where o.id = s.id and o.claim_token = s.token
            returning o.id)
        select array_agg(d.id) into v_settled from done d;

        -- What was given back can run elsewhere at once.
        perform core.outbox_wake(array(
            select s.id from unnest(p_ids, p_outcomes) as s (id, outcome)
            where s.outcome = 'released' and s.id = any(v_settled)));
    end if;

    if cardinality(v_settled) is distinct from cardinality(p_ids) then
        return query select i.id from unnest(p_ids) as i (id) where i.id <> all(coalesce(v_settled, '{}'));
    end if;
end
$$;
revoke all on function core.outbox_settle(uuid[], uuid[], text[], interval[], text[]) from public;

-- Transactional flow: the same for rows that core.outbox_claim_locked locked in this transaction. They cannot
-- have moved since, so they are found by their place; the id only guards against a mix-up.
-- Returns the ids it did not settle: somebody else settled or moved them, so this transaction had not locked
-- them. (A row that lies where it lay, pending and locked by nobody, is settled: only the caller can know.)
create function core.outbox_settle_locked(
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
    if p_outcomes is null then
        with done as (
            update core.outbox o
            set status = 'delivered', delivered_at = clock_timestamp(),
                available_at = least(o.available_at, o.created_at)
            from unnest(p_places, p_ids) as s (place, id)
            where o.ctid = s.place and o.id = s.id and o.status = 'pending'
            returning o.id)
        select array_agg(d.id) into v_settled from done d;
    else
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
                first_failed_at = case when s.outcome in ('retry', 'failed')
                    then coalesce(o.first_failed_at, clock_timestamp()) else o.first_failed_at end,
                claimed_at = case when s.outcome = 'failed' then clock_timestamp() end,
                claimed_by = case when s.outcome = 'failed' then p_worker end
            from unnest(p_places, p_ids, p_outcomes, p_retry_in, p_errors)
                as s (place, id, outcome, retry_in, error)
            where o.ctid = s.place and o.id = s.id and o.status = 'pending'
              and s.outcome <> 'released'   -- the end of the transaction gives it back
            returning o.id)
        select array_agg(d.id) || array(
                select s.id from unnest(p_ids, p_outcomes) as s (id, outcome) where s.outcome = 'released')
            into v_settled from done d;
    end if;

    if cardinality(v_settled) is distinct from cardinality(p_ids) then
        return query select i.id from unnest(p_ids) as i (id) where i.id <> all(coalesce(v_settled, '{}'));
    end if;
end
$$;
revoke all on function core.outbox_settle_locked(tid[], uuid[], text[], interval[], text[], text) from public;

-- The heartbeat of leases: renews those still held, returns the ids whose lease is lost.
create function core.outbox_extend(p_ids uuid[], p_tokens uuid[]) returns setof uuid
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_generic_plan
as $$
begin
    return query
        with extended as (
            update core.outbox o set claimed_at = clock_timestamp()
            from (select * from unnest(p_ids, p_tokens) as u (id, token) order by u.id) s
            where o.id = s.id and o.claim_token = s.token
            returning o.id)
        select i.id from unnest(p_ids) as i (id) where i.id not in (select e.id from extended e);
end
$$;
revoke all on function core.outbox_extend(uuid[], uuid[]) from public;

-- The status of a row, like its other columns, is checked when it comes in, and where somebody says what to make of it.
--
-- The last check constraint of the outbox goes the way of the others (core_insert_checks): every claim and every settle read
-- its expression anew, which was a tenth of what one of them costs for a single row. The functions write constants. Only the
-- outcomes of a settle are given by the caller; an unknown one is refused in the same words.

-- For the last place of a CASE: raises, and returns nothing.
create function core.outbox_refuse_outcome(p_outcome text) returns text
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception 'new row for relation "outbox" violates check constraint "outbox_status_is_known": '
            'there is no outcome "%"', coalesce(p_outcome, 'null')
        using errcode = 'check_violation', schema = 'core', table = 'outbox', constraint = 'outbox_status_is_known',
              hint = 'Take delivered, retry, failed or released.';
end
$$;
revoke all on function core.outbox_refuse_outcome(text) from public;

-- As they were, but for the status.
create or replace function core.outbox_settle(
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
                                    when 'delivered' then 'delivered' when 'failed' then 'failed'
                                    else core.outbox_refuse_outcome(s.outcome) end,
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

create or replace function core.outbox_settle_locked(
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
        set status = case s.outcome when 'retry' then 'pending' when 'delivered' then 'delivered'
                                    when 'failed' then 'failed' else core.outbox_refuse_outcome(s.outcome) end,
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

create or replace function core.outbox_refuse_row() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_rule text := case
        when NEW.event_version <= 0 then 'outbox_event_version_is_positive'
        when NEW.generation <= 0 then 'outbox_generation_is_positive'
        when octet_length(NEW.idempotency_key) > 512 then 'outbox_idempotency_key_is_at_most_512_bytes'
        when NEW.content_class not in ('standard', 'personal', 'audit') then 'outbox_content_class_is_known'
        when NEW.status not in ('pending', 'in_flight', 'delivered', 'failed') then 'outbox_status_is_known'
        else 'outbox_channel_is_a_name' end;
begin
    raise exception 'new row for relation "outbox" violates check constraint "%"', v_rule
        using errcode = 'check_violation', schema = 'core', table = 'outbox', constraint = v_rule;
end
$$;

drop trigger outbox_row_is_valid on core.outbox;
create trigger outbox_row_is_valid before insert on core.outbox
    for each row when (
        NEW.event_version <= 0
        or NEW.generation <= 0
        or octet_length(NEW.idempotency_key) > 512
        or NEW.content_class not in ('standard', 'personal', 'audit')
        or NEW.channel !~ '^[a-z_][a-z0-9_]*$'
        or octet_length(NEW.channel) > 63
        or NEW.status not in ('pending', 'in_flight', 'delivered', 'failed'))
    execute function core.outbox_refuse_row();

alter table core.outbox drop constraint outbox_status_is_known;

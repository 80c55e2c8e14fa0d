-- Roles and who may do what. `cuebox migrate --without-roles` skips this file: then everything stays the
-- migrating user's own, and PUBLIC may do nothing.
--
-- Roles belong to the whole cluster: other databases may be creating the same ones at this moment.

do $$
declare
    v_role text;
    v_able boolean;
    v_with text := '';
begin
    foreach v_role in array array['cuebox_owner', 'cuebox_producer', 'cuebox_worker', 'cuebox_operator',
                                  'cuebox_retention', 'cuebox_metrics'] loop
        if not exists (select from pg_roles r where r.rolname = v_role) then
            begin
                execute format('create role %I nologin', v_role);
            exception when duplicate_object or unique_violation then
                null;   -- another database was faster
            end;
        end if;
    end loop;

    -- Giving objects to a role takes membership in it, and later migrations change them with its rights; a
    -- superuser needs neither. From Postgres 16 on, who creates a role is a member that may give it to others but
    -- neither become it nor act with its rights: that has to be granted like to anybody else.
    if current_setting('server_version_num')::int >= 160000 then
        v_able := pg_has_role(current_user, 'cuebox_owner', 'set')
              and pg_has_role(current_user, 'cuebox_owner', 'usage');
        v_with := ' with set true, inherit true';
    else
        v_able := pg_has_role(current_user, 'cuebox_owner', 'member');
    end if;
    if not v_able then
        begin
            execute format('grant cuebox_owner to %I', current_user) || v_with;
        exception when unique_violation then
            null;
        end;
    end if;
end
$$;

grant usage on schema core to cuebox_producer, cuebox_worker, cuebox_operator, cuebox_retention, cuebox_metrics;
grant usage, create on schema core to cuebox_owner;

-- Producers write events, and nothing that is Cuebox's to decide: not created_at, not the status.
grant insert (id, event_type, event_version, occurred_at, source, target, content_class, channel, generation,
              domain_id, payload, idempotency_key, trace_context, available_at, quiet)
    on core.outbox to cuebox_producer;
grant execute on function
    core.uuid_v7(),
    core.outbox_publish(text, text, bigint, jsonb, text, text, text, uuid, int, timestamptz, timestamptz, text,
                        text, uuid, boolean)
    to cuebox_producer;

-- Workers change rows through functions only, and never delete a dedup record.
grant select, insert on core.event_handled to cuebox_worker;
grant execute on function
    core.outbox_claim(text, uuid, bigint, text, text[], text[], int, timestamptz, timestamptz),
    core.outbox_claim_locked(bigint, text, text[], text[], int, timestamptz, timestamptz),
    core.outbox_settle(uuid[], uuid[], text[], interval[], text[]),
    core.outbox_settle_locked(tid[], uuid[], text[], interval[], text[], text),
    core.outbox_extend(uuid[], uuid[]),
    core.outbox_advance_floor(bigint, interval),
    core.outbox_recheck(bigint, timestamptz, int),
    core.outbox_next_due(bigint, interval),
    core.outbox_expand(bigint, text[], int, timestamptz, timestamptz),
    core.outbox_reap(bigint, text, int, jsonb, interval, interval, boolean),
    core.worker_register(text, text, bigint, text, int, boolean),
    core.worker_heartbeat(text, int, boolean),
    core.worker_running(text, uuid[]),
    core.worker_unregister(text),
    core.workers_lost(text, bigint),
    core.subscribe(text, bigint, text[]),
    core.outbox_backlog()
    to cuebox_worker;

-- Operators read everything, replay, discard, run generations. The runbook discards with a plain update.
grant select on all tables in schema core to cuebox_operator;
grant update (deleted_at) on core.outbox to cuebox_operator;
grant execute on function
    core.outbox_replay(uuid, bigint, text, boolean, interval),
    core.outbox_discard(uuid, text),
    core.allocate_generation(text),
    core.retire_generation(bigint),
    core.outbox_drain(bigint, bigint, text, int),
    core.outbox_reap(bigint, text, int, jsonb, interval, interval, boolean),
    core.unsubscribe(text, bigint, text[]),
    core.outbox_backlog()
    to cuebox_operator;

grant execute on function
    core.sweep_outbox(bigint, timestamptz, interval, interval, int),
    core.sweep_event_handled(interval, interval, int, tid),
    core.outbox_generations()
    to cuebox_retention;

grant select on core.metrics_backlog, core.metrics_stranded, core.metrics_unrouted, core.metrics_dead_letters,
    core.metrics_workers, core.metrics_deployments, core.metrics_storage to cuebox_metrics;
grant execute on function core.outbox_backlog() to cuebox_metrics;

-- Everything Cuebox made belongs to a role nobody can log in as; the functions run with its rights. The record
-- of migrations stays with who migrates.
do $$
declare
    v_each record;
begin
    for v_each in
        select format('alter %s %s owner to cuebox_owner',
                      case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
                      c.oid::regclass) as command
        from pg_class c
        where c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'v', 'S')
          and c.relname <> 'schema_migrations'
          and not exists (select from pg_depend d   -- identity sequences follow their table
                          where d.objid = c.oid and d.deptype = 'i' and c.relkind = 'S')
        union all
        select format('alter function %s owner to cuebox_owner', p.oid::regprocedure)
        from pg_proc p where p.pronamespace = 'core'::regnamespace
        union all
        select 'alter type core.claimed_row owner to cuebox_owner'
    loop
        execute v_each.command;
    end loop;
end
$$;

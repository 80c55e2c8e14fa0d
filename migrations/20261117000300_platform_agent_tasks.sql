-- platform.agent_tasks: what an agent was asked to do, how far it is, and what came of it. That is business state
-- and stays here; the outbox only carries the word that a worker is needed. Every transition that needs one writes
-- its event, agent.task.dispatched with {"agent_task_id": …}, in the same transaction.
--
-- The schema may be there already: it belongs to a context of its own.
create schema if not exists platform;

create table platform.agent_tasks (
    id                uuid        primary key,
    kind              text        not null,    -- which executor
    input             jsonb       not null default '{}',
    status            text        not null default 'pending',
    conversation_id   uuid,
    domain_id         uuid,
    -- The event that somebody made the task because of.
    trigger_event_id  uuid,

    -- Each dispatch is a round: the first one, and one more for every approval. Only the event of the current round
    -- runs the task, so that one of an earlier round that comes again does nothing.
    round             int         not null default 1,
    dispatch_event_id uuid        not null,
    -- How the next round's event is addressed.
    source            text        not null,
    target            text,
    class             text,
    generation        bigint      not null,
    -- The context that is told when the task waits or ends; null: nobody is.
    announce_to       text,

    -- The claim token of who runs it: the result of anybody else is refused.
    fence             uuid,
    attempts          int         not null default 0,
    approval_id       uuid,                    -- the latest request
    result            jsonb,
    error             text,
    created_by        text,
    cancelled_by      text,
    created_at        timestamptz not null default now(),
    started_at        timestamptz,
    finished_at       timestamptz,
    updated_at        timestamptz not null default now(),

    constraint agent_tasks_status_is_known check (status in
        ('pending', 'running', 'waiting_for_approval', 'succeeded', 'failed', 'cancelled')),
    constraint agent_tasks_kind_is_named check (octet_length(kind) between 1 and 255),
    constraint agent_tasks_round_is_positive check (round > 0),
    constraint agent_tasks_succeed_with_a_result check ((status = 'succeeded') = (result is not null)),
    constraint agent_tasks_wait_for_an_approval check (status <> 'waiting_for_approval' or approval_id is not null),
    constraint agent_tasks_run_behind_a_fence check (status <> 'running' or fence is not null)
);

-- For lists by status; all of them by id, which is in the order of their making.
create index agent_tasks_by_status on platform.agent_tasks (status, id);
create index agent_tasks_of_conversation on platform.agent_tasks (conversation_id)
    where conversation_id is not null;

-- Every request for approval, and who decided on it. They stay: this is the record.
create table platform.agent_task_approvals (
    id            uuid        primary key,
    agent_task_id uuid        not null references platform.agent_tasks on delete cascade,
    round         int         not null,
    request       jsonb       not null,
    requested_at  timestamptz not null default now(),
    decision      text,
    decided_at    timestamptz,
    decided_by    text,
    note          text,

    constraint agent_task_approvals_decision_is_known check (decision in ('approved', 'rejected')),
    constraint agent_task_approvals_name_who_decided
        check ((decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)),
    constraint agent_task_approvals_one_a_round unique (agent_task_id, round)
);
alter table platform.agent_tasks add constraint agent_tasks_approval
    foreign key (approval_id) references platform.agent_task_approvals;

-- Tasks as they stand, their dispatch taken into account: a worker that died or took too long cannot say so here,
-- but its event can. One whose event is a dead letter has failed, until it is replayed, and so has one whose event is
-- gone or was delivered and left it undone; one whose event waits for its next try is pending.
--
-- A broadcast that was expanded is delivered too, and nobody has claimed it. Of its copies nothing is known here: they
-- have ids of their own.
create view platform.agent_task_states as
    select t.id, t.kind,
           case when e.undone and (e.over or o.status = 'failed') then 'failed'
                when t.status in ('running', 'failed') and o.status = 'pending' then 'pending'
                else t.status end as status,
           t.status as recorded_status,
           t.input, t.conversation_id, t.domain_id, t.trigger_event_id, t.round, t.dispatch_event_id,
           a.id as approval_id, a.request as approval_request, a.requested_at as approval_requested_at,
           a.decision, a.decided_by, a.decided_at, a.note as decision_note,
           t.result,
           case when e.undone and e.over
                then concat_ws(': ', coalesce(o.last_error, t.error),
                    format('its event %s and nothing will run it. Cancel it and create another: cuebox task cancel %s',
                           case when o.id is null then 'is gone' else 'was delivered' end, t.id))
                when e.undone then coalesce(o.last_error, t.error)
                else t.error end as error,
           t.attempts, t.announce_to, t.created_by, t.cancelled_by,
           t.created_at, t.started_at, t.finished_at, t.updated_at
    from platform.agent_tasks t
    left join platform.agent_task_approvals a on a.id = t.approval_id
    left join core.outbox o on o.id = t.dispatch_event_id
    cross join lateral (
        select t.status in ('pending', 'running') as undone,
               o.id is null or o.status = 'delivered' and (o.claimed_by is not null or o.target is not null) as over
    ) e;

-- Refuses a generation at which an event would be stranded, as a replay does. p_expected: somebody has to be there
-- already. Who creates a task may be there before the first worker, so that where generations are not allocated at all
-- any will do.
create function platform.agent_task_check_generation(p_generation bigint, p_expected boolean) returns void
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_status text := (select d.status from core.deployments d where d.generation = p_generation);
begin
    if p_generation is null or p_generation <= 0 then
        raise exception 'no agent task is dispatched at generation %', coalesce(p_generation::text, 'null')
            using errcode = 'invalid_parameter_value',
                  hint = 'select max(generation) from core.deployments tells the current one.';
    elsif v_status = 'retired' then
        raise exception 'generation % is retired: the task would be stranded there', p_generation
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'select max(generation) from core.deployments tells the current one.';
    elsif v_status is null and (p_expected or exists (select from core.deployments))
          and not exists (select from core.subscriptions s where s.generation = p_generation) then
        raise exception 'generation % was never allocated and nobody listens at it: the task would be stranded there',
                p_generation
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'select max(generation) from core.deployments tells the current one.';
    end if;
end
$$;
revoke all on function platform.agent_task_check_generation(bigint, boolean) from public;

-- Writes the event that calls a worker. Its key tells the rounds apart, for what a run talks to.
create function platform.agent_task_dispatch(
    t platform.agent_tasks, p_event_id uuid, p_trace_context text, p_available_at timestamptz)
returns void
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
    select core.outbox_publish('agent.task.dispatched', t.source, t.generation,
        p_payload => jsonb_build_object('agent_task_id', t.id), p_target => t.target, p_class => t.class,
        p_idempotency_key => t.id || ':' || t.round, p_domain_id => t.domain_id, p_event_id => p_event_id,
        p_trace_context => p_trace_context, p_available_at => p_available_at);
$$;
revoke all on function platform.agent_task_dispatch(platform.agent_tasks, uuid, text, timestamptz) from public;

-- Where word of a task goes: to the generation of its dispatch, which a drain may have moved, while somebody works
-- there. A task that waits for a person may outlive it; then to the newest that is active.
create function platform.agent_task_generation(t platform.agent_tasks) returns bigint
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select case when d.status = 'active' then own.generation
                when d.status is null
                     and exists (select from core.subscriptions s where s.generation = own.generation)
                then own.generation
                else coalesce((select max(a.generation) from core.deployments a where a.status = 'active'),
                              own.generation) end
    from (select coalesce((select o.generation from core.outbox o where o.id = t.dispatch_event_id),
                          t.generation) as generation) own
    left join core.deployments d on d.generation = own.generation
$$;
revoke all on function platform.agent_task_generation(platform.agent_tasks) from public;

-- Tells the context that asked for it: agent.task.waiting_for_approval or agent.task.finished. Nobody asked: no
-- event, for it would stay pending for ever.
create function platform.agent_task_announce(t platform.agent_tasks) returns void
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
    select core.outbox_publish(
        'agent.task.' || case t.status when 'waiting_for_approval' then t.status else 'finished' end, 'platform',
        platform.agent_task_generation(t),
        p_payload => jsonb_build_object('agent_task_id', t.id, 'status', t.status), p_target => t.announce_to,
        p_idempotency_key => t.id || ':' || t.round || '.' || t.attempts || ':' || t.status,
        p_domain_id => t.domain_id)
    where t.announce_to is not null;
$$;
revoke all on function platform.agent_task_announce(platform.agent_tasks) from public;

-- Locks a task for a transition of a person's, or says why there is none from where it is.
create function platform.agent_task_lock(p_id uuid, p_from text[], p_verb text, p_by text)
returns platform.agent_tasks
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    t platform.agent_tasks;
begin
    if coalesce(trim(p_by), '') = '' then
        raise exception 'agent task % cannot be % by nobody: say who decides', p_id, p_verb
            using errcode = 'invalid_parameter_value';
    end if;
    select * into t from platform.agent_tasks a where a.id = p_id for update;
    if not found then
        raise exception 'no agent task %', p_id
            using errcode = 'no_data_found', hint = 'List tasks with: cuebox task list';
    elsif t.status <> all (p_from) then
        raise exception 'agent task % is %: it can be % only while it is %', p_id, t.status, p_verb,
                array_to_string(p_from, ', ')
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    return t;
end
$$;
revoke all on function platform.agent_task_lock(uuid, text[], text, text) from public;

-- Writes a task and the event that has it run, in the caller's transaction.
create function platform.agent_task_create(
    p_kind             text,
    p_source           text,
    p_generation       bigint,
    p_input            jsonb       default '{}',
    p_target           text        default null,
    p_class            text        default null,
    p_created_by       text        default null,
    p_conversation_id  uuid        default null,
    p_domain_id        uuid        default null,
    p_trigger_event_id uuid        default null,
    p_announce_to      text        default null,
    p_available_at     timestamptz default now(),
    p_trace_context    text        default null,
    p_id               uuid        default null,
    p_event_id         uuid        default null)
returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    t platform.agent_tasks;
begin
    if coalesce(octet_length(p_kind), 0) not between 1 and 255 then
        raise exception 'the kind of a task has % bytes, 1 to 255 are allowed: name the executor that runs it',
                coalesce(octet_length(p_kind), 0)
            using errcode = 'invalid_parameter_value';
    elsif p_announce_to = '' then
        raise exception 'the context to be told is empty: name one, or leave p_announce_to out'
            using errcode = 'invalid_parameter_value';
    elsif octet_length(p_input::text) > 262144 then
        raise exception 'the input has % bytes as text, at most 262144 are allowed', octet_length(p_input::text)
            using errcode = 'check_violation';
    elsif jsonb_path_exists(p_input, 'strict $.**{64 to last} ? (@.type() == "object" || @.type() == "array")') then
        raise exception 'the input is nested more than 64 deep' using errcode = 'check_violation';
    end if;
    perform platform.agent_task_check_generation(p_generation, false);
    insert into platform.agent_tasks (id, kind, input, conversation_id, domain_id, trigger_event_id,
        dispatch_event_id, source, target, class, generation, announce_to, created_by)
    values (coalesce(p_id, core.uuid_v7()), p_kind, p_input, p_conversation_id, p_domain_id, p_trigger_event_id,
        coalesce(p_event_id, core.uuid_v7()), p_source, p_target, p_class, p_generation, p_announce_to,
        p_created_by)
    returning * into t;
    perform platform.agent_task_dispatch(t, t.dispatch_event_id, p_trace_context, p_available_at);
    return t.id;
end
$$;
revoke all on function platform.agent_task_create(text, text, bigint, jsonb, text, text, text, uuid, uuid, uuid, text,
    timestamptz, text, uuid, uuid) from public;

-- Writes down who decided what on the request a task waits for.
create function platform.agent_task_decide(
    p_id uuid, p_decision text, p_by text, p_note text, p_approval_id uuid)
returns platform.agent_tasks
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    t platform.agent_tasks := platform.agent_task_lock(p_id, '{waiting_for_approval}', p_decision, p_by);
begin
    if p_approval_id <> t.approval_id then
        raise exception 'agent task % waits for approval %, not for %', p_id, t.approval_id, p_approval_id
            using errcode = 'object_not_in_prerequisite_state',
                  hint = format('See what it asks now with: cuebox task show %s', p_id);
    end if;
    update platform.agent_task_approvals a
        set decision = p_decision, decided_at = now(), decided_by = p_by, note = p_note
        where a.id = t.approval_id;
    return t;
end
$$;
revoke all on function platform.agent_task_decide(uuid, text, text, text, uuid) from public;

-- Approval resumes a task: it is pending again, and a new event calls a worker, at the generation that works now.
-- Returns that event's id. With p_approval_id, only if it is still that request which is waiting.
create function platform.agent_task_approve(
    p_id uuid, p_generation bigint, p_by text, p_note text default null, p_approval_id uuid default null,
    p_trace_context text default null, p_event_id uuid default null)
returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    t platform.agent_tasks := platform.agent_task_decide(p_id, 'approved', p_by, p_note, p_approval_id);
begin
    perform platform.agent_task_check_generation(p_generation, true);
    update platform.agent_tasks a
        set status = 'pending', round = a.round + 1, dispatch_event_id = coalesce(p_event_id, core.uuid_v7()),
            generation = p_generation, fence = null, error = null, updated_at = now()
        where a.id = p_id
        returning * into t;
    perform platform.agent_task_dispatch(t, t.dispatch_event_id, p_trace_context, now());
    return t.dispatch_event_id;
end
$$;
revoke all on function platform.agent_task_approve(uuid, bigint, text, text, uuid, text, uuid) from public;

-- Ends a task whose result nobody wants. One that runs is told: its result is refused from now on.
create function platform.agent_task_end(p_id uuid, p_by text, p_error text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    t platform.agent_tasks;
begin
    update platform.agent_tasks a
        set status = 'cancelled', cancelled_by = p_by, error = p_error, fence = null, finished_at = now(),
            updated_at = now()
        where a.id = p_id
        returning * into t;
    perform platform.agent_task_announce(t);
end
$$;
revoke all on function platform.agent_task_end(uuid, text, text) from public;

create function platform.agent_task_reject(
    p_id uuid, p_by text, p_note text default null, p_approval_id uuid default null)
returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    perform platform.agent_task_decide(p_id, 'rejected', p_by, p_note, p_approval_id);
    perform platform.agent_task_end(p_id, p_by, 'rejected by ' || p_by || coalesce(': ' || p_note, ''));
end
$$;
revoke all on function platform.agent_task_reject(uuid, text, text, uuid) from public;

create function platform.agent_task_cancel(p_id uuid, p_by text, p_reason text default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    perform platform.agent_task_lock(p_id, '{pending,running,waiting_for_approval,failed}', 'cancelled', p_by);
    perform platform.agent_task_end(p_id, p_by, 'cancelled by ' || p_by || coalesce(': ' || p_reason, ''));
end
$$;
revoke all on function platform.agent_task_cancel(uuid, text, text) from public;

-- A worker has the event in hand and asks whether it should run the task. 'run': it is fenced by the claim's token.
-- Anything else is why not: 'missing'; 'superseded' by a later round; 'stale', a later claim of the same event has
-- it; or the status of a task that needs no worker.
--
-- One that is 'running' is taken over: its event would not be in other hands if its worker were well. Tokens are made
-- with the clock of who claims. Where clocks disagree the outbox is asked whose the event is.
create function platform.agent_task_start(p_id uuid, p_event_id uuid, p_token uuid) returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    t platform.agent_tasks;
begin
    select * into t from platform.agent_tasks a where a.id = p_id for update;
    if not found then
        return 'missing';
    elsif t.dispatch_event_id <> p_event_id then
        return 'superseded';
    elsif t.status in ('waiting_for_approval', 'succeeded', 'cancelled') then
        return t.status;
    elsif t.fence > p_token
          and not exists (select from core.outbox o
                          where o.id = p_event_id and o.status = 'in_flight' and o.claim_token = p_token) then
        return 'stale';
    end if;
    update platform.agent_tasks a
        set status = 'running', fence = p_token, attempts = a.attempts + 1, finished_at = null,
            started_at = coalesce(a.started_at, now()), updated_at = now()
        where a.id = p_id;
    return 'run';
end
$$;
revoke all on function platform.agent_task_start(uuid, uuid, uuid) from public;

-- Whether who runs a task under this token should go on: null, or why not. As agent_task_start says it.
create function platform.agent_task_unwanted(p_id uuid, p_token uuid) returns text
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select case when a.id is null then 'missing'
                when a.status = 'running' and a.fence = p_token then null
                when a.status = 'running' then 'stale'
                else a.status end
    from (select) as nothing left join platform.agent_tasks a on a.id = p_id
$$;
revoke all on function platform.agent_task_unwanted(uuid, uuid) from public;

-- What came of a run, from whoever holds the fence: 'succeeded' with a result, 'waiting_for_approval' with a
-- request, 'failed' for good, or 'pending' when the event will be tried again. Returns null when it is written, else
-- why it is not, as agent_task_unwanted says it: a result that comes too late changes nothing.
create function platform.agent_task_record(
    p_id uuid, p_token uuid, p_status text, p_body jsonb default null, p_error text default null,
    p_conversation_id uuid default null)
returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    t          platform.agent_tasks;
    v_unwanted text;
    v_approval uuid;
begin
    if p_status not in ('succeeded', 'waiting_for_approval', 'failed', 'pending') then
        raise exception 'no run of an agent task ends as "%"', p_status using errcode = 'invalid_parameter_value';
    elsif octet_length(p_body::text) > 1048576 then
        raise exception 'the outcome has % bytes as text, at most 1048576 are allowed', octet_length(p_body::text)
            using errcode = 'check_violation';
    end if;
    perform from platform.agent_tasks a where a.id = p_id for update;
    v_unwanted := platform.agent_task_unwanted(p_id, p_token);
    if v_unwanted is not null then
        return v_unwanted;
    end if;
    if p_status = 'waiting_for_approval' then
        insert into platform.agent_task_approvals (id, agent_task_id, round, request)
            select core.uuid_v7(), a.id, a.round, p_body from platform.agent_tasks a where a.id = p_id
            returning id into v_approval;
    end if;
    update platform.agent_tasks a
        set status = p_status, error = p_error,
            result = case when p_status = 'succeeded' then coalesce(p_body, 'null') end,
            approval_id = coalesce(v_approval, a.approval_id),
            conversation_id = coalesce(p_conversation_id, a.conversation_id),
            finished_at = case when p_status in ('succeeded', 'failed') then now() end, updated_at = now()
        where a.id = p_id
        returning * into t;
    if p_status <> 'pending' then
        perform platform.agent_task_announce(t);
    end if;
    return null;
end
$$;
revoke all on function platform.agent_task_record(uuid, uuid, text, jsonb, text, uuid) from public;

-- Who may do what with agent tasks. Nobody writes the tables: transitions go through functions.
grant usage on schema platform to cuebox_producer, cuebox_worker, cuebox_operator;
grant usage, create on schema platform to cuebox_owner;

grant select on platform.agent_tasks, platform.agent_task_approvals, platform.agent_task_states
    to cuebox_producer, cuebox_operator;

-- Services make tasks, read what came of them, and give up on them. To decide is for people: an application in
-- which they do it is given cuebox_operator too.
grant execute on function
    platform.agent_task_create(text, text, bigint, jsonb, text, text, text, uuid, uuid, uuid, text, timestamptz, text,
                               uuid, uuid),
    platform.agent_task_cancel(uuid, text, text)
    to cuebox_producer, cuebox_operator;
grant execute on function
    platform.agent_task_approve(uuid, bigint, text, text, uuid, text, uuid),
    platform.agent_task_reject(uuid, text, text, uuid)
    to cuebox_operator;

grant select on platform.agent_task_states to cuebox_worker;
grant execute on function
    platform.agent_task_start(uuid, uuid, uuid),
    platform.agent_task_unwanted(uuid, uuid),
    platform.agent_task_record(uuid, uuid, text, jsonb, text, uuid)
    to cuebox_worker;

-- By name: the schema may hold what is not Cuebox's.
alter table platform.agent_tasks owner to cuebox_owner;
alter table platform.agent_task_approvals owner to cuebox_owner;
alter view platform.agent_task_states owner to cuebox_owner;
alter function platform.agent_task_check_generation(bigint, boolean) owner to cuebox_owner;
alter function platform.agent_task_dispatch(platform.agent_tasks, uuid, text, timestamptz) owner to cuebox_owner;
alter function platform.agent_task_generation(platform.agent_tasks) owner to cuebox_owner;
alter function platform.agent_task_announce(platform.agent_tasks) owner to cuebox_owner;
alter function platform.agent_task_lock(uuid, text[], text, text) owner to cuebox_owner;
alter function platform.agent_task_create(text, text, bigint, jsonb, text, text, text, uuid, uuid, uuid, text,
    timestamptz, text, uuid, uuid) owner to cuebox_owner;
alter function platform.agent_task_decide(uuid, text, text, text, uuid) owner to cuebox_owner;
alter function platform.agent_task_approve(uuid, bigint, text, text, uuid, text, uuid) owner to cuebox_owner;
alter function platform.agent_task_end(uuid, text, text) owner to cuebox_owner;
alter function platform.agent_task_reject(uuid, text, text, uuid) owner to cuebox_owner;
alter function platform.agent_task_cancel(uuid, text, text) owner to cuebox_owner;
alter function platform.agent_task_start(uuid, uuid, uuid) owner to cuebox_owner;
alter function platform.agent_task_unwanted(uuid, uuid) owner to cuebox_owner;
alter function platform.agent_task_record(uuid, uuid, text, jsonb, text, uuid) owner to cuebox_owner;

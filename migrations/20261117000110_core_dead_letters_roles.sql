-- Who may do what with dead letters, and the owner of what the migration before this one made.
--
-- replaces 045908c9afbcaa09735afc9961dce3adb1e2450b76b771f649cef818ff2fe5a6
-- (That one spoke of core.find_dead_letters too, whose present form is made, and given, by core_find_by_domain.)

grant execute on function
    core.outbox_settle(uuid[], uuid[], text[], interval[], text[], text[]),
    core.outbox_settle_locked(tid[], uuid[], text[], interval[], text[], text, text[]),
    core.outbox_reap_events(bigint, text, int, jsonb, interval, interval, boolean)
    to cuebox_worker;

grant select on core.operator_actions, core.dead_letters, core.dedup_horizon to cuebox_operator;
grant execute on function
    core.outbox_replay_many(uuid[], bigint, text, boolean, interval),
    core.outbox_discard_many(uuid[], text),
    core.outbox_handled_by(text),
    core.allocate_generation(text, text),
    core.retire_generation(bigint, text)
    to cuebox_operator;

grant execute on function core.record_sweep(text, jsonb) to cuebox_retention;

alter table core.operator_actions owner to cuebox_owner;
alter table core.dedup_horizon owner to cuebox_owner;
alter view core.dead_letters owner to cuebox_owner;
alter function core.outbox_settle(uuid[], uuid[], text[], interval[], text[], text[]) owner to cuebox_owner;
alter function core.outbox_settle_locked(tid[], uuid[], text[], interval[], text[], text, text[])
    owner to cuebox_owner;
alter function core.outbox_next_step(uuid, text) owner to cuebox_owner;
alter function core.outbox_replay_many(uuid[], bigint, text, boolean, interval) owner to cuebox_owner;
alter function core.outbox_discard_many(uuid[], text) owner to cuebox_owner;
alter function core.outbox_handled_by(text) owner to cuebox_owner;
alter function core.allocate_generation(text, text) owner to cuebox_owner;
alter function core.retire_generation(bigint, text) owner to cuebox_owner;
alter function core.record_sweep(text, jsonb) owner to cuebox_owner;
alter function core.outbox_reap_events(bigint, text, int, jsonb, interval, interval, boolean) owner to cuebox_owner;

grant execute on function
    core.record_handled(text[], text[], uuid[], text[], boolean),
    core.outbox_settle_delivered(uuid, tid[], uuid[])
    to cuebox_worker;

alter function core.record_handled(text[], text[], uuid[], text[], boolean) owner to cuebox_owner;
alter function core.outbox_settle_delivered(uuid, tid[], uuid[]) owner to cuebox_owner;

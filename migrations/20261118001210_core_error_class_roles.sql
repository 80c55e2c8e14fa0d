alter function core.outbox_trace_of(uuid) owner to cuebox_owner;
grant execute on function core.outbox_trace_of(uuid) to cuebox_worker;

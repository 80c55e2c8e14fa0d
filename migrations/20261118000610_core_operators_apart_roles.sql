alter function core.outbox_lock_failed(uuid[]) owner to cuebox_owner;

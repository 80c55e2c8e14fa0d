alter function core.outbox_same_domain() owner to cuebox_owner;

grant insert (workspace_id) on core.outbox to cuebox_producer;

alter function core.outbox_refuse_outcome(text) owner to cuebox_owner;

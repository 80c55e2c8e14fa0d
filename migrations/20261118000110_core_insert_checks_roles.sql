alter function core.outbox_refuse_row() owner to cuebox_owner;

grant execute on function core.outbox_shares(bigint, text[]) to cuebox_worker;

alter function core.outbox_shares(bigint, text[]) owner to cuebox_owner;

grant execute on function core.outbox_turn(uuid, uuid, text, text, uuid, text, text, uuid, bigint, text, text[], text[], int,
    timestamptz, timestamptz) to cuebox_worker;

alter function core.outbox_turn(uuid, uuid, text, text, uuid, text, text, uuid, bigint, text, text[], text[], int,
    timestamptz, timestamptz) owner to cuebox_owner;

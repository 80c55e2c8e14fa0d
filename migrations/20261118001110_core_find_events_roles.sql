alter type core.listed_event owner to cuebox_owner;
alter function core.find_events(text, text, text, text, uuid, text, bigint, timestamptz, timestamptz, boolean,
    int, timestamptz, uuid, int) owner to cuebox_owner;
alter function core.outbox_copies(uuid, interval, int) owner to cuebox_owner;
grant execute on function core.find_events(text, text, text, text, uuid, text, bigint, timestamptz, timestamptz, boolean,
    int, timestamptz, uuid, int), core.outbox_copies(uuid, interval, int) to cuebox_operator;

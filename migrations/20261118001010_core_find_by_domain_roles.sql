alter function core.find_dead_letters(text, text, text, text, text, text, bigint, timestamptz, timestamptz, boolean, int,
    timestamptz, uuid, uuid, uuid) owner to cuebox_owner;
grant execute on function core.find_dead_letters(text, text, text, text, text, text, bigint, timestamptz, timestamptz, boolean, int,
    timestamptz, uuid, uuid, uuid) to cuebox_operator;

alter function core.known_generations() owner to cuebox_owner;
alter function core.generation_for(text, text, bigint) owner to cuebox_owner;
alter function core.outbox_replay_many(uuid[], bigint, text, boolean, interval) owner to cuebox_owner;

grant execute on function
    core.known_generations(),
    core.generation_for(text, text, bigint),
    core.outbox_replay_many(uuid[], bigint, text, boolean, interval)
    to cuebox_operator;

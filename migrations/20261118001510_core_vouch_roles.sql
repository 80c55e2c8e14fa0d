alter function core.worker_vouch(text, uuid) owner to cuebox_owner;
grant execute on function core.worker_vouch(text, uuid) to cuebox_worker;

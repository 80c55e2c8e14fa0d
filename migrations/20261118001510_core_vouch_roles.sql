alter function core.worker_vouch(text) owner to cuebox_owner;
grant execute on function core.worker_vouch(text) to cuebox_worker;

-- Who may read the status: whoever looks after the outbox, and workers, whose gauges share one count.

-- For how long a transaction that holds old row versions back has been open is shown to pg_read_all_stats alone. Without
-- it status says that it does not see that. Roles belong to the whole cluster: other databases may be granting the same.
do $$
begin
    if not pg_has_role('cuebox_owner', 'pg_read_all_stats', 'member') then
        grant pg_read_all_stats to cuebox_owner;
    end if;
exception
    when insufficient_privilege then
        raise notice 'cuebox status will not show for how long other users'' transactions are open; a superuser can '
            'change that: grant pg_read_all_stats to cuebox_owner';
    when unique_violation or internal_error then
        null;   -- another database was faster
end
$$;

grant execute on function
    core.outbox_reading(interval, boolean),
    core.xmin_holders(),
    core.xmin_durations_visible()
    to cuebox_worker, cuebox_operator, cuebox_metrics;
grant execute on function core.worker_heartbeat(text, int, boolean, bigint, bigint, bigint) to cuebox_worker;
grant select on core.reading_backlog, core.reading_stranded, core.reading_unrouted, core.reading_dead_letters
    to cuebox_worker, cuebox_operator, cuebox_metrics;
grant select on core.backlog_reading to cuebox_operator;

alter type core.backlog_group owner to cuebox_owner;
alter type core.dead_letter_group owner to cuebox_owner;
alter table core.backlog_reading owner to cuebox_owner;
alter view core.reading_backlog owner to cuebox_owner;
alter view core.reading_stranded owner to cuebox_owner;
alter view core.reading_unrouted owner to cuebox_owner;
alter view core.reading_dead_letters owner to cuebox_owner;
alter function core.outbox_reading(interval, boolean) owner to cuebox_owner;
alter function core.xmin_holders() owner to cuebox_owner;
alter function core.xmin_durations_visible() owner to cuebox_owner;
alter function core.worker_heartbeat(text, int, boolean, bigint, bigint, bigint) owner to cuebox_owner;
alter function core.worker_rate(bigint, bigint, timestamptz, timestamptz) owner to cuebox_owner;

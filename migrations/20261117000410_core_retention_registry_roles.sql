-- Operators set policies; whoever sweeps reads them, and workers do if they may sweep.
alter table core.retention_policies owner to cuebox_owner;
alter function core.retention_check() owner to cuebox_owner;
alter function core.retention_lock() owner to cuebox_owner;
alter function core.retention_stamp() owner to cuebox_owner;

grant select, update (active, grace) on core.retention_policies to cuebox_operator;
grant select on core.retention_policies to cuebox_retention, cuebox_worker;

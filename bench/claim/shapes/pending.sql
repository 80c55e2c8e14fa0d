-- What one writes first: a partial index over what is pending. Each claim takes the row out of it, so no update
-- is HOT, and each writes the primary key again.
drop index core.outbox_in_order;
create index outbox_in_order on core.outbox (generation, created_at) where status = 'pending';
alter table core.outbox set (fillfactor = 100);

-- The chosen indexes without room on the page: shows what the fillfactor is for.
alter table core.outbox set (fillfactor = 100);

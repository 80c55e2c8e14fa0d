-- The chosen indexes with less room on the page.
alter table core.outbox set (fillfactor = 70);

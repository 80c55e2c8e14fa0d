-- Between the two: the index holds what is not delivered. A claim is HOT, a settle is not.
drop index core.outbox_in_order;
create index outbox_in_order on core.outbox (generation, created_at) where delivered_at is null;
alter table core.outbox set (fillfactor = 70);

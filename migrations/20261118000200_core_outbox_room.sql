-- Room on each page for three versions of every row on it: as published, as claimed, as settled.
--
-- With room for two, the third fits only once the first has been pruned, and that waits for every snapshot that
-- is older than the claim. Under load there always is one, a claim of another worker say, and then the settle is
-- not HOT: it writes to every index. Measured on a drain, of all updates one in seventeen for one process and a third
-- for two; with room for three it is none and a few per cent, and a producer with a worker beside it costs a third
-- less. The price is half as many pages again. It holds for pages that are new.
alter table core.outbox set (fillfactor = 34);

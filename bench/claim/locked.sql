-- One lane of the transactional flow: claim, dedup, settle, one commit.
begin;
select array_agg(c.id) as ids, array_agg(c.idempotency_key) as keys, array_agg(c.place) as places,
    case when :bounded = 1 then coalesce(max(c.created_at), :from::timestamptz) else '-infinity' end as from
from core.outbox_claim_locked(1, 'platform', '{bench.event}', null, :batch, :from::timestamptz, '-infinity') c
\gset
\startpipeline
insert into core.event_handled (handler_name, idempotency_key, event_id)
    select 'platform.bench', u.key, u.id from unnest(:ids::uuid[], :keys::text[]) as u (id, key)
    on conflict do nothing returning event_id;
select core.outbox_settle_locked(:places::tid[], :ids::uuid[]);
commit;
\endpipeline

-- One lane of the leased flow: claim | dedup + settle, two commits. Keeps its bound in :from.
select array_agg(c.id) as ids, array_agg(c.idempotency_key) as keys, count(*) as n,
    case when :bounded = 1 then coalesce(max(c.created_at), :from::timestamptz) else '-infinity' end as from
from core.outbox_claim('bench' || :client_id, ('00000000-0000-4000-8000-00000000000' || :client_id)::uuid,
    1, 'platform', '{bench.event}', null, :batch, :from::timestamptz, '-infinity') c \gset
\startpipeline
begin;
insert into core.event_handled (handler_name, idempotency_key, event_id)
    select 'platform.bench', u.key, u.id from unnest(:ids::uuid[], :keys::text[]) as u (id, key)
    on conflict do nothing returning event_id;
select core.outbox_settle(:ids::uuid[],
    array_fill(('00000000-0000-4000-8000-00000000000' || :client_id)::uuid, array[:n::int]));
commit;
\endpipeline

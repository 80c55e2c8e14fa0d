-- Whether some event type of these has more than one context that listens for it at the generation: only then there
-- can be anything for core.outbox_expand to do. A worker that listens alone asks now and then, and leaves that call out.
create function core.outbox_shares(p_generation bigint, p_event_types text[]) returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off
as $$
    select exists (
        select from core.subscriptions s
        where s.generation = p_generation and s.event_type = any(p_event_types)
        group by s.event_type having count(*) > 1)
$$;
revoke all on function core.outbox_shares(bigint, text[]) from public;

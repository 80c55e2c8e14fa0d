-- Dead letters of one domain: an operator asks for those of one tenant.
drop function core.find_dead_letters(text, text, text, text, text, text, bigint, timestamptz, timestamptz, boolean, int,
    timestamptz, uuid, uuid);
create function core.find_dead_letters(
    p_event_type text default null, p_source text default null, p_target text default null,
    p_handler text default null, p_error text default null, p_error_class text default null,
    p_generation bigint default null, p_failed_from timestamptz default null,
    p_failed_until timestamptz default null, p_oldest_first boolean default false, p_limit int default null,
    p_after_failed_at timestamptz default null, p_after_id uuid default null, p_event_id uuid default null,
    p_domain_id uuid default null)
returns setof core.dead_letters
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set plan_cache_mode = force_generic_plan
as $$
declare
    v_from  timestamptz := coalesce(p_failed_from, '-infinity');
    v_until timestamptz := coalesce(p_failed_until, 'infinity');
begin
    if p_oldest_first then
        v_from := greatest(v_from, p_after_failed_at);
        return query
            select * from core.dead_letters l
            where l.failed_at >= v_from and l.failed_at <= v_until
              and (p_after_id is null or (l.failed_at, l.id) > (p_after_failed_at, p_after_id))
              and (p_event_type is null or l.event_type = p_event_type)
              and (p_source is null or l.source = p_source)
              and (p_target is null or l.target = p_target)
              and (p_handler is null or l.handler = p_handler)
              and (p_error is null or position(lower(p_error) in lower(l.last_error)) > 0)
              and (p_error_class is null or l.error_class = p_error_class)
              and (p_generation is null or l.generation = p_generation)
              and (p_event_id is null or l.event_id = p_event_id)
              and (p_domain_id is null or l.domain_id = p_domain_id)
            order by l.failed_at, l.id limit p_limit;
    else
        v_until := least(v_until, p_after_failed_at);
        return query
            select * from core.dead_letters l
            where l.failed_at >= v_from and l.failed_at <= v_until
              and (p_after_id is null or (l.failed_at, l.id) < (p_after_failed_at, p_after_id))
              and (p_event_type is null or l.event_type = p_event_type)
              and (p_source is null or l.source = p_source)
              and (p_target is null or l.target = p_target)
              and (p_handler is null or l.handler = p_handler)
              and (p_error is null or position(lower(p_error) in lower(l.last_error)) > 0)
              and (p_error_class is null or l.error_class = p_error_class)
              and (p_generation is null or l.generation = p_generation)
              and (p_event_id is null or l.event_id = p_event_id)
              and (p_domain_id is null or l.domain_id = p_domain_id)
            order by l.failed_at desc, l.id desc limit p_limit;
    end if;
end
$$;
revoke all on function core.find_dead_letters(text, text, text, text, text, text, bigint, timestamptz, timestamptz, boolean, int,
    timestamptz, uuid, uuid, uuid) from public;

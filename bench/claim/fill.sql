-- Rows as a publisher writes them: ~200 bytes of payload, time-ordered ids and keys.
create schema bench;

create function bench.fill(p_rows int, p_id_base bigint, p_from timestamptz, p_every interval, p_status text)
returns void language sql as $$
    insert into core.outbox (id, event_type, source, target, channel, generation, payload, idempotency_key,
        quiet, created_at, available_at, status, delivered_at)
    select u.id, 'bench.event', 'bench', 'platform', 'outbox_gen_1', 1,
        jsonb_build_object('number', u.n, 'customer', md5(u.n::text), 'note', repeat('x', 120)), u.id::text,
        true, u.at, u.at, p_status, case p_status when 'delivered' then u.at end
    from (select n, ('01900000-' || to_hex(28672 + p_id_base) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid
                     as id,
                 p_from + n * p_every as at
          from generate_series(1, p_rows) n) u
$$;

create sequence bench.fills;

-- Delivered rows, spread over the days before.
create function bench.history(p_rows int) returns void language sql as $$
    select bench.fill(p_rows, 0, now() - interval '30 days', interval '25 days' / p_rows, 'delivered')
$$;

-- Pending rows, published just now.
create function bench.backlog(p_rows int) returns void language sql as $$
    select bench.fill(p_rows, nextval('bench.fills'), clock_timestamp(), interval '1 microsecond', 'pending')
$$;

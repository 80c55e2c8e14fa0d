#pragma once

#include "support/migrated.hpp"
#include "support/session.hpp"

#include <string>
#include <string_view>

namespace cuebox::schema::test {

using cuebox::test::session;

// Short names for the tests' SQL: rows are numbered, and lists of rows are lists of their numbers.
// A worker here is context 'ctx' at generation 1 and listens for 'a', unless told otherwise.
constexpr std::string_view short_names = R"(
create schema t;
create function t.id(n int) returns uuid language sql immutable
    as $$ select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid $$;
create function t.n(id uuid) returns int language sql immutable
    as $$ select right(id::text, 12)::int $$;
create function t.ids(variadic n int[]) returns uuid[] language sql immutable
    as $$ select array_agg(t.id(i) order by o) from unnest(n) with ordinality as u (i, o) $$;
create function t.list(rows core.claimed_row[]) returns text language sql
    as $$ select coalesce(string_agg(t.n(r.id)::text, ',' order by r.id), '')
          from unnest(rows) r $$;

create function t.publish(n int, type text = 'a', target text = null, generation bigint = 1,
                          class text = null, due interval = '0') returns void language sql as $$
    select core.outbox_publish(type, 'tests', generation, p_target => target, p_class => class,
                               p_event_id => t.id(n), p_available_at => now() + due);
$$;
create function t.publish_many(first int, last int) returns void language sql as $$
    insert into core.outbox (id, event_type, source, generation, payload, channel, quiet)
    select t.id(n), 'a', 'tests', 1, '{}', 'outbox_gen_1', true from generate_series(first, last) n;
$$;

create function t.claim(most int = 100, token int = 1, worker text = 'w', generation bigint = 1,
                        context text = 'ctx', types text[] = '{a}', channels text[] = null,
                        above timestamptz = '-infinity', due_from timestamptz = '-infinity')
    returns text language sql as $$
    select t.list(array(select c from core.outbox_claim(
        worker, t.id(token), generation, context, types, channels, most, above, due_from) c));
$$;
-- The same by core.outbox_turn, which first settles a row that is there for that.
create sequence t.turns start 800000;
create function t.turn(most int = 100, token int = 1, worker text = 'w', generation bigint = 1,
                       context text = 'ctx', types text[] = '{a}', channels text[] = null,
                       above timestamptz = '-infinity', due_from timestamptz = '-infinity')
    returns text language plpgsql as $$
declare
    n int := nextval('t.turns');
begin
    perform t.publish(n, 'turn', generation => 99);
    perform t.claim(1, token => n, generation => 99, types => '{turn}');
    return t.list(array(select c from core.outbox_turn(
        t.id(n), t.id(n), 'ctx.turn', n::text, t.id(n), 'standard',
        worker, t.id(token), generation, context, types, channels, most, above, due_from) c));
end
$$;
create function t.claim_locked(most int = 100, above timestamptz = '-infinity')
    returns text language sql as $$
    select t.list(array(select c from core.outbox_claim_locked(
        1, 'ctx', '{a}', null, most, above, '-infinity') c));
$$;
create function t.settle(n int, outcome text = null, token int = 1, retry_in interval = null,
                         error text = null) returns text language sql as $$
    select coalesce(string_agg(t.n(lost)::text, ','), '') from core.outbox_settle(
        t.ids(n), t.ids(token), case when outcome is not null then array[outcome] end,
        case when retry_in is not null then array[retry_in] end,
        case when error is not null then array[error] end) lost;
$$;
-- Rows of the claim under token 1, by where they are.
create function t.settle_places(rows int[]) returns text language sql as $$
    select coalesce(string_agg(t.n(lost)::text, ',' order by lost), '')
    from (select array_agg(ctid order by ctid) as places, array_agg(id order by ctid) as ids
          from core.outbox where t.n(id) = any(rows)) r,
        core.outbox_settle_delivered(t.id(1), r.places, r.ids) lost;
$$;
-- Where the row lies is what claim_locked tells.
create function t.settle_locked(n int, outcome text = null, retry_in interval = null,
                                error text = null, place tid = null)
    returns text language sql as $$
    select coalesce(string_agg(t.n(lost)::text, ','), '') from core.outbox_settle_locked(
        array[coalesce(place, (select ctid from core.outbox where id = t.id(n)))], t.ids(n),
        case when outcome is not null then array[outcome] end,
        case when retry_in is not null then array[retry_in] end,
        case when error is not null then array[error] end, 'w') lost;
$$;
-- Time goes by, for rows that are committed, for what this transaction wrote, and for the floor.
create function t.age(by interval) returns void language sql as $$
    update core.outbox set created_at = created_at - by, available_at = available_at - by,
        claimed_at = claimed_at - by;
    update core.outbox_floors set floor = floor - by, mark_at = mark_at - by,
        late_from = array(select x - by from unnest(late_from) x);
$$;
create function t.age_own(by interval) returns void language sql as $$
    update core.outbox set created_at = created_at - by, available_at = available_at - by
        where xmin = pg_current_xact_id()::xid;
$$;
create function t.floor() returns timestamptz language sql
    as $$ select coalesce((select floor from core.outbox_floors where generation = 1),
                          '-infinity') $$;
-- Whether the floor lies above a row.
create function t.passed(n int) returns boolean language sql
    as $$ select t.floor() > created_at from core.outbox where id = t.id(n) $$;
create function t.status(n int) returns text language sql
    as $$ select status from core.outbox where id = t.id(n) $$;
)";

// A migrated database, with a connection to it that the test asks by default.
class outbox : public cuebox::outbox::test::migrated
{
public:
    outbox() { link_.ask(short_names); }

    std::string ask(std::string_view sql) { return link_.ask(sql); }
    std::string refusal(std::string_view sql) { return link_.refusal(sql); }
    // The floor is moved as a worker does it every second, for a while.
    void advance(const std::string& patience = "5 seconds", int calls = 3)
    {
        for (int n = 0; n < calls; ++n)
            ask("select core.outbox_advance_floor(1, '" + patience + "')");
    }
    // What a full claim finds.
    std::string claim_from_floor() { return ask("select t.claim(above => t.floor())"); }
    session open() const { return session{conninfo()}; }

private:
    session link_{conninfo()};
};

inline bool says(std::string_view text, std::string_view part)
{
    return text.find(part) != text.npos;
}

}

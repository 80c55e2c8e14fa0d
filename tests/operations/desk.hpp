#pragma once

#include "support/migrated.hpp"

#include <cuebox/event/uuid.hpp>
#include <cuebox/operations/error.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace cuebox::operations::test {

using cuebox::outbox::test::migrated;

// Rows are numbered. They are published at generation 1 and fail in the hands of a worker 'w'.
constexpr std::string_view short_names = R"(
create schema t;
create function t.id(n int) returns uuid language sql immutable
    as $$ select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid $$;
create function t.publish(n int, type text = 'order.placed', target text = 'billing',
                          source text = 'shop') returns void language sql as $$
    select core.outbox_publish(type, source, 1, jsonb_build_object('number', n),
                               p_target => target, p_event_id => t.id(n))
$$;
create function t.fail(n int, error text = 'Timeout: no answer', handler text = 'billing.invoice')
    returns void language plpgsql as $$
declare
    v_token uuid := gen_random_uuid();
begin
    update core.outbox set status = 'in_flight', claimed_by = 'w', claim_token = v_token,
        claimed_at = now() where id = t.id(n);
    perform core.outbox_settle(array[t.id(n)], array[v_token], '{failed}', '{null}', array[error],
                               array[handler]);
end
$$;
create function t.dead(n int, error text = 'Timeout: no answer',
                       handler text = 'billing.invoice') returns void language plpgsql as $$
begin
    perform t.publish(n);
    perform t.fail(n, error, handler);
end
$$;
)";

// What an operator sits at: a database with two generations that contexts listen at.
class desk : public migrated
{
public:
    desk()
    {
        query(short_names);
        query("select core.allocate_generation('first'), "
              "core.subscribe('billing', 1, '{order.placed}'), "
              "core.allocate_generation('second')");
    }

    // Runs what an operator does, on a connection of its own.
    template <class Work>
    auto run(Work work) const
    {
        return run_as(options(), std::move(work));
    }
    template <class Work>
    auto run_as(const pg::connect_options& login, Work work) const
    {
        using answer = typename std::invoke_result_t<Work, pg::connection&>::value_type;
        return outbox::test::run(on_connection<answer>(login, std::move(work)));
    }
    // What is said against it.
    template <class Work>
    std::string refusal(Work work) const
    {
        try {
            run(std::move(work));
        }
        catch (const error& refused) {
            return refused.what();
        }
        return "not refused";
    }

private:
    template <class T>
    static pg::awaitable<T> on_connection(pg::connect_options where,
                                          std::function<pg::awaitable<T>(pg::connection&)> work)
    {
        pg::connection connection = co_await pg::connect(where);
        auto running = work(connection);
        if constexpr (std::is_void_v<T>) {
            co_await std::move(running);
        }
        else {
            T answer = co_await std::move(running);
            co_return answer;
        }
    }
};

// The id of row n.
inline event::uuid row(int n)
{
    std::string digits = std::to_string(n);
    digits.insert(0, 12 - digits.size(), '0');
    return *event::parse_uuid("00000000-0000-7000-8000-" + digits);
}

}

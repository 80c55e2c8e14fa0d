#include <cuebox/operations/error.hpp>
#include <cuebox/operations/events.hpp>
#include <cuebox/operations/paging.hpp>
#include <cuebox/operations/statements.hpp>
#include <cuebox/pg/transaction.hpp>

#include <algorithm>
#include <limits>

namespace cuebox::operations {

namespace {

// As the database has them: the last one may be the place where the search ended.
struct found_row
{
    std::optional<event::uuid> id, event_id;
    std::optional<std::string> event_type;
    std::optional<std::int32_t> event_version;
    std::optional<std::string> source, target;
    std::optional<std::int64_t> generation;
    std::optional<std::string> channel;
    std::optional<event::uuid> domain_id;
    std::optional<std::string> idempotency_key, status;
    std::optional<std::int32_t> attempts;
    std::optional<event::timestamp> available_at;
    std::optional<std::string> handler, last_error, worker;
    std::optional<event::timestamp> claimed_at, occurred_at, created_at, delivered_at, failed_at;
    std::optional<event::timestamp> looked_until;
};

listed_event event_of(found_row&& row)
{
    return {.id = row.id.value(),
            .event_id = row.event_id.value(),
            .event_type = std::move(row.event_type).value(),
            .event_version = row.event_version.value(),
            .source = std::move(row.source).value(),
            .target = std::move(row.target),
            .generation = row.generation.value(),
            .channel = std::move(row.channel).value(),
            .domain_id = row.domain_id,
            .idempotency_key = std::move(row.idempotency_key).value(),
            .status = std::move(row.status).value(),
            .attempts = row.attempts.value(),
            .available_at = row.available_at.value(),
            .handler = std::move(row.handler),
            .last_error = std::move(row.last_error),
            .worker = std::move(row.worker),
            .claimed_at = row.claimed_at,
            .occurred_at = row.occurred_at.value(),
            .created_at = row.created_at.value(),
            .delivered_at = row.delivered_at,
            .failed_at = row.failed_at};
}

void refuse_nonsense(const event_filter& filter, const event_paging& paging)
{
    if (paging.limit < 1 || paging.limit > 10'000)
        throw error{"a page has 1 to 10000 events, not " + std::to_string(paging.limit),
                    "read more of them page by page"};
    if (paging.rows_max < 1)
        throw error{"a page looks at one row at least, not at " + std::to_string(paging.rows_max),
                    "leave rows_max as it is"};
    if (filter.due && filter.status != event_status::pending)
        throw error{std::string("an event that is ") + name_of(filter.status) +
                        " is neither due nor waiting",
                    "ask for pending events, or leave that out"};
}

struct bounds
{
    std::optional<event::timestamp> from, until;
};

pg::awaitable<bounds> ages_of(pg::transaction& work, const event_filter& filter)
{
    bounds made;
    if (!filter.older_than && !filter.newer_than)
        co_return made;
    const auto now = co_await work.query_one<event::timestamp>(database_clock);
    if (filter.newer_than)
        made.from = detail::before(now, *filter.newer_than);
    if (filter.older_than)
        made.until = detail::before(now, *filter.older_than);
    co_return made;
}

pg::awaitable<std::vector<found_row>> find(pg::transaction& work, const event_filter& filter,
                                           const event_paging& paging, detail::place from)
{
    const bounds ages = co_await ages_of(work, filter);
    // One more than asked for tells whether there is another page.
    pg::params values(std::in_place, std::string_view(name_of(filter.status)), filter.event_type,
                      filter.source, filter.target, filter.domain_id, filter.idempotency_key,
                      filter.generation, ages.from, ages.until, filter.due, paging.limit + 1,
                      from.at, from.id, paging.rows_max);
    work.send_along(limit_time, std::to_string(std::max<std::int64_t>(paging.time_max.count(), 1)));
    const pg::result found = co_await work.execute(find_events, std::move(values));
    co_return found.rows<found_row>();
}

// The server stopped it: says what to ask instead.
[[noreturn]] void rethrow_late(const pg::error& from, const event_paging& paging)
{
    constexpr std::string_view query_canceled = "57014";
    if (from.sqlstate() != query_canceled)
        detail::rethrow_in_words(from);
    throw error{"the list was not found within " + std::to_string(paging.time_max.count()) + " ms",
                "ask for less: one generation (--generation), or new events (--newer-than)"};
}

pg::awaitable<std::vector<found_row>> find_in_time(pg::connection& connection, event_filter filter,
                                                   event_paging paging, detail::place from)
{
    pg::transaction work{connection};
    std::optional<pg::error> failure;
    std::vector<found_row> rows;
    try {
        rows = co_await find(work, filter, paging, from);
    }
    catch (const pg::error& thrown) {
        failure = thrown;
    }
    if (!failure || !connection.broken())
        co_await work.rollback(); // Nothing was written.
    if (failure)
        rethrow_late(*failure, paging);
    co_return rows;
}

event_page page_of(std::vector<found_row>&& rows, std::int32_t limit)
{
    // Behind all ids of that time.
    event::uuid last_id;
    std::fill(last_id.begin(), last_id.end(), std::numeric_limits<std::uint8_t>::max());
    event_page page;
    for (found_row& each : rows) {
        if (each.looked_until) {
            page.looked_until = each.looked_until;
            page.next = detail::print_place(*each.looked_until, last_id);
        }
        else if (page.events.size() == static_cast<std::size_t>(limit)) {
            const listed_event& last = page.events.back();
            page.next = detail::print_place(last.created_at, last.id);
        }
        else {
            page.events.push_back(event_of(std::move(each)));
        }
    }
    return page;
}

}

const char* name_of(event_status status)
{
    switch (status) {
    case event_status::pending:
        return "pending";
    case event_status::in_flight:
        return "in_flight";
    case event_status::delivered:
        return "delivered";
    case event_status::failed:
        return "failed";
    }
    return "";
}

pg::awaitable<event_page> read_events(pg::connection& connection, event_filter filter,
                                      event_paging paging)
{
    refuse_nonsense(filter, paging);
    const auto from = detail::parse_place(paging.after, "events");
    const std::int32_t limit = paging.limit;
    auto rows = co_await find_in_time(connection, std::move(filter), std::move(paging), from);
    co_return page_of(std::move(rows), limit);
}

}

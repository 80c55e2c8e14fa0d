#include <cuebox/operations/dead_letters.hpp>
#include <cuebox/operations/error.hpp>
#include <cuebox/operations/paging.hpp>
#include <cuebox/operations/statements.hpp>

#include <algorithm>

namespace cuebox::operations {

namespace {

// $1 to $11 of the statements that take a filter, which has no ages any more.
pg::params filter_params(const dlq_filter& filter)
{
    return pg::params(std::in_place, filter.event_type, filter.source, filter.target,
                      filter.handler, filter.error, filter.error_class, filter.generation,
                      filter.failed_from, filter.failed_until, filter.event_id, filter.domain_id);
}

pg::awaitable<dlq_filter> without_ages(pg::connection& connection, dlq_filter filter)
{
    if (!filter.older_than && !filter.newer_than)
        co_return filter;
    dlq_filter pinned = co_await pin(connection, std::move(filter));
    co_return pinned;
}

}

pg::awaitable<dlq_filter> pin(pg::connection& connection, dlq_filter filter)
{
    const auto now = co_await connection.query_one<event::timestamp>(database_clock);
    const auto until = detail::before(now, filter.older_than.value_or(std::chrono::microseconds{}));
    filter.failed_until = std::min(filter.failed_until.value_or(until), until);
    if (filter.newer_than) {
        const auto from = detail::before(now, *filter.newer_than);
        filter.failed_from = std::max(filter.failed_from.value_or(from), from);
    }
    filter.older_than.reset();
    filter.newer_than.reset();
    co_return filter;
}

pg::awaitable<dlq_page> list_dlq_events(pg::connection& connection, dlq_filter filter,
                                        dlq_paging paging)
{
    if (paging.limit < 1 || paging.limit > 100'000)
        throw error{"a page has 1 to 100000 dead letters, not " + std::to_string(paging.limit),
                    "read more of them page by page"};
    const auto from = detail::parse_place(paging.after, "dead letters");
    filter = co_await without_ages(connection, std::move(filter));
    auto values = filter_params(filter);
    // One more than asked for tells whether there is another page.
    values.add(paging.oldest_first).add(paging.limit + 1).add(from.at).add(from.id);
    const pg::result found = co_await connection.execute(find_dlq_events, std::move(values));
    dlq_page page{.events = found.rows<dlq_event>()};
    if (page.events.size() > static_cast<std::size_t>(paging.limit)) {
        page.events.pop_back();
        const dlq_event& last = page.events.back();
        page.next = detail::print_place(last.failed_at, last.id);
    }
    co_return page;
}

pg::awaitable<std::int64_t> count_dlq_events(pg::connection& connection, dlq_filter filter)
{
    filter = co_await without_ages(connection, std::move(filter));
    const pg::result counted = co_await connection.execute(count_dlq, filter_params(filter));
    co_return counted.only<std::int64_t>();
}

pg::awaitable<std::vector<dlq_group>> group_dlq_events(pg::connection& connection,
                                                       dlq_filter filter, dlq_grouping by)
{
    const pg::statement& how = by == dlq_grouping::error  ? group_dlq_by_error
                               : by == dlq_grouping::type ? group_dlq_by_type
                                                          : group_dlq_by_handler;
    filter = co_await without_ages(connection, std::move(filter));
    const pg::result grouped = co_await connection.execute(how, filter_params(filter));
    co_return grouped.rows<dlq_group>();
}

}

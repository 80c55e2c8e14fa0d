#include <cuebox/outbox/reading_statements.hpp>

namespace cuebox::outbox {

const pg::statement take_reading{.name = "take reading", .sql = R"(
select true as counted, age_seconds, took_seconds, exact
from core.outbox_reading($1::interval, $2::boolean))"};

const pg::statement read_backlog{.name = "read backlog", .sql = R"(
select generation, status, channel, event_type, sum(events)::bigint as events,
    sum(waiting)::bigint as waiting, max(oldest_age_seconds) as oldest_seconds
from core.reading_backlog group by 1, 2, 3, 4 order by 1, 2, 3, 4)"};

const pg::statement read_dead_letters{.name = "read dead letters", .sql = R"(
select generation, event_type, events,
    extract(epoch from clock_timestamp() - oldest_at)::float8 as oldest_seconds
from core.reading_dead_letters order by 1, 2)"};

const pg::statement read_unrouted{.name = "read unrouted", .sql = R"(
select generation, event_type, target, sum(events)::bigint as events,
    extract(epoch from clock_timestamp() - min(oldest_at))::float8 as oldest_seconds
from core.reading_unrouted group by 1, 2, 3 order by 1, 2, 3)"};

const pg::statement read_stranded{.name = "read stranded", .sql = R"(
select generation, deployment, label, sum(events)::bigint as events,
    extract(epoch from clock_timestamp() - min(oldest_at))::float8 as oldest_seconds
from core.reading_stranded group by 1, 2, 3 order by 1)"};

const pg::statement read_xmin_holders{.name = "xmin holders", .sql = R"(
select kind, identity, coalesce(database, '') as database, coalesce(role, '') as role,
    coalesce(application, '') as application, coalesce(state, '') as state, xmin_age, seconds
from core.xmin_holders() limit $1::int)"};

const pg::statement read_notify_queue{.name = "notify queue", .sql = R"(
select pg_notification_queue_usage() as notify_queue_usage,
    core.xmin_durations_visible() as sees_durations)"};

}

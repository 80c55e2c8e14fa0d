#include "support/migrated.hpp"
#include "support/psql.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

using namespace cuebox::outbox::test;

// The queries that operators have in their runbook, letter by letter; <event-id> and
// <current-generation> are theirs to fill in.
namespace {

constexpr std::string_view recent_failures = R"(select
id,
event_type,
source,
target,
workspace_id,
attempts,
last_error,
first_failed_at,
claimed_at as failed_at,
jsonb_array_length(failure_history) as prior_replay_count
from core.outbox
where status = 'failed'
and deleted_at is null
order by claimed_at desc
limit 50;)";

constexpr std::string_view one_event = R"(select *
from core.outbox
where id = '<event-id>';)";

constexpr std::string_view failures_by_type = R"(-- Failures grouped by event_type
select event_type, source, target, count(*)
from core.outbox
where status = 'failed' and deleted_at is null
group by event_type, source, target
order by count(*) desc;)";

constexpr std::string_view failures_by_error =
    R"(-- Failures grouped by error class (heuristic: first line of last_error)
select
split_part(last_error, ':', 1) as error_class,
count(*)
from core.outbox
where status = 'failed' and deleted_at is null
group by error_class
order by count(*) desc;)";

constexpr std::string_view current_generation =
    R"(-- Replay against the current production generation.
-- Look up SPECTRAL_GENERATION first; for production, query
-- core.deployments for the most recent live generation.
select max(generation) from core.deployments;)";

constexpr std::string_view replay = R"(-- Then replay the specific event:
select core.outbox_replay(
p_event_id => '<event-id>',
p_new_generation => <current-generation>,
p_replayed_by => 'operator-identity' -- nullable; caller's choice
);)";

constexpr std::string_view discard = R"(update core.outbox
set deleted_at = now()
where id = '<event-id>'
and status = 'failed';)";

constexpr std::string_view backlog_by_channel = R"(select channel, count(*)
from core.outbox
where status = 'pending' and deleted_at is null
group by channel;)";

constexpr std::string_view backlog_by_status = R"(-- Backlog by status
select status, count(*) from core.outbox
where deleted_at is null group by status;)";

constexpr std::string_view stale_in_flight =
    R"(-- Stale in-flight (potential reaper-attention candidates)
select id, claimed_at, age(now(), claimed_at) as age
from core.outbox
where status = 'in_flight' and claimed_at < now() - interval '5 minutes'
order by claimed_at;)";

constexpr std::string_view queue_usage = R"(-- Notify queue health (per ADR-044)
select pg_notification_queue_usage();)";

constexpr std::string_view generations = R"(-- Generation distribution (legacy-drain candidates)
select generation, status, count(*)
from core.outbox
where deleted_at is null
group by generation, status
order by generation;)";

std::string filled(std::string_view query, std::string_view id, std::string_view generation = "")
{
    std::string text(query);
    const auto fill = [&text](std::string_view blank, std::string_view with) {
        if (const auto at = text.find(blank); at != text.npos)
            text.replace(at, blank.size(), with);
    };
    fill("<event-id>", id);
    fill("<current-generation>", generation);
    return text;
}

constexpr std::string_view broken_id = "00000000-0000-7000-8000-00000000000a";
constexpr std::string_view stale_id = "00000000-0000-7000-8000-00000000000b";

// A day in production: two dead letters, a row whose worker died long ago, one that waits.
class busy_database : public migrated
{
public:
    busy_database()
    {
        query(R"(
            select core.allocate_generation('first'), core.allocate_generation('second');
            select core.outbox_publish('order.placed', 'shop', 1, '{"number": 1}',
                p_target => 'billing', p_class => 'bulk',
                p_domain_id => '11111111-2222-4333-8444-555555555555',
                p_event_id => '00000000-0000-7000-8000-00000000000a');
            select core.outbox_publish('order.placed', 'shop', 1,
                p_event_id => '00000000-0000-7000-8000-00000000000b');
            select core.outbox_publish('order.placed', 'shop', 2);
            update core.outbox set status = 'failed', attempts = 5, claimed_at = now(),
                failed_at = now(), first_failed_at = now() - interval '1 minute',
                last_error = 'TimeoutError: no answer'
                where id = '00000000-0000-7000-8000-00000000000a';
            update core.outbox set status = 'in_flight', claimed_at = now() - interval '10 minutes'
                where id = '00000000-0000-7000-8000-00000000000b';)");
    }
};

}

TEST_CASE("the runbook's questions are answered by the schema as they stand", "[outbox]")
{
    const busy_database database;

    const auto columns = [&database](std::string_view of) {
        return database.query(std::string(of));
    };
    CHECK(columns(recent_failures)
              .starts_with("00000000-0000-7000-8000-00000000000a|order.placed|shop|billing|"
                           "11111111-2222-4333-8444-555555555555|5|TimeoutError: no answer|"));
    CHECK(columns(recent_failures).ends_with("|0"));
    CHECK(columns(filled(one_event, broken_id)).find("TimeoutError") != std::string::npos);
    CHECK(columns(failures_by_type) == "order.placed|shop|billing|1");
    CHECK(columns(failures_by_error) == "TimeoutError|1");
    CHECK(columns(current_generation) == "2");
    CHECK(columns(backlog_by_channel) == "outbox_gen_2|1");
    CHECK(columns(backlog_by_status).find("failed|1") != std::string::npos);
    CHECK(columns(stale_in_flight).starts_with(std::string(stale_id) + "|"));
    CHECK(columns(queue_usage) == "0");
    CHECK(columns(generations) == "1|failed|1\n1|in_flight|1\n2|pending|1");
}

TEST_CASE("the runbook's replay gives a dead letter another cycle", "[outbox]")
{
    const busy_database database;

    database.query(filled(replay, broken_id, "2"));

    CHECK(database.query("select status, attempts, last_error, first_failed_at, claimed_at, "
                         "generation, channel, idempotency_key = id::text from core.outbox where "
                         "id = '00000000-0000-7000-8000-00000000000a'") ==
          "pending|0||||2|outbox_gen_2_bulk|t");
    CHECK(database.query("select jsonb_array_length(failure_history), "
                         "array(select jsonb_object_keys(failure_history->0) order by 1), "
                         "failure_history->0->>'replayed_by', failure_history->0->>'attempts' "
                         "from core.outbox where id = '00000000-0000-7000-8000-00000000000a'") ==
          "1|{attempts,cycle,failed_at,first_failed_at,handler,last_error,replayed_at,replayed_by}|"
          "operator-identity|5");
}

TEST_CASE("only a dead letter that was not discarded can be replayed", "[outbox]")
{
    const busy_database database;
    const auto refusal = [&database](std::string_view id) -> std::string {
        try {
            database.query(filled(replay, id, "2"));
        }
        catch (const std::exception& refused) {
            return refused.what();
        }
        return "not refused";
    };

    CHECK(refusal(stale_id).find("is in_flight, only failed events can be replayed") !=
          std::string::npos);
    CHECK(refusal("00000000-0000-7000-8000-0000000000ff").find("no event") != std::string::npos);
    database.query(filled(discard, broken_id));
    CHECK(refusal(broken_id).find("was discarded") != std::string::npos);
}

TEST_CASE("the runbook's discard is an operator's to do", "[outbox]")
{
    const busy_database database;

    database.query("set role cuebox_operator;" + filled(discard, broken_id));

    CHECK(database.query(std::string(failures_by_type)).empty());
    CHECK(database.query("select deleted_at is not null from core.outbox where id = "
                         "'00000000-0000-7000-8000-00000000000a'") == "t");
}

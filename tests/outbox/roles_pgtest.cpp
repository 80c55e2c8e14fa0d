#include "support/migrated.hpp"

#include <cuebox/outbox/migrate.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

using namespace cuebox;
using namespace cuebox::outbox::test;

namespace {

// Everything that any role may do with anything in the schema, read from the catalogs: a new table
// or function shows up here, and has to be put into the list below on purpose.
constexpr std::string_view matrix_query = R"(
with roles as (
    select unnest(array['public', 'cuebox_producer', 'cuebox_worker', 'cuebox_operator',
                        'cuebox_retention', 'cuebox_metrics']) as role),
privileges as (
    select unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references',
                        'trigger']) as privilege, generate_series(1, 7) as place),
relations as (
    select c.oid, c.relname::text as name from pg_class c
    where c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')),
granted as (
    select role, name, place, case
        when has_table_privilege(role, oid, privilege) then privilege
        when privilege not in ('delete', 'truncate', 'trigger')
             and has_any_column_privilege(role, oid, privilege)
        then privilege || '(' || (
            select string_agg(a.attname, ',' order by a.attnum) from pg_attribute a
            where a.attrelid = oid and a.attnum > 0
              and has_column_privilege(role, oid, a.attnum, privilege)) || ')' end as may
    from roles, relations, privileges),
everything as (
    select role, name, string_agg(may, ' ' order by place) as may from granted group by 1, 2
    union all
    select role, p.proname || '()', 'execute' from roles, pg_proc p
    where p.pronamespace = 'core'::regnamespace and has_function_privilege(role, p.oid, 'execute')
    union all
    select role, c.relname, 'usage' from roles, pg_class c
    where c.relnamespace = 'core'::regnamespace and c.relkind = 'S'
      and has_sequence_privilege(role, c.oid, 'usage, select, update')
    union all
    select role, 'schema core', p.privilege
    from roles, (values ('usage'), ('create')) as p (privilege)
    where has_schema_privilege(role, 'core', p.privilege))
select role || ': ' || name || ' ' || may from everything where may is not null
order by role collate "C", name collate "C")";

constexpr std::string_view matrix =
    "cuebox_metrics: metrics_backlog select\n"
    "cuebox_metrics: metrics_dead_letters select\n"
    "cuebox_metrics: metrics_deployments select\n"
    "cuebox_metrics: metrics_storage select\n"
    "cuebox_metrics: metrics_stranded select\n"
    "cuebox_metrics: metrics_unrouted select\n"
    "cuebox_metrics: metrics_workers select\n"
    "cuebox_metrics: outbox_backlog() execute\n"
    "cuebox_metrics: outbox_reading() execute\n"
    "cuebox_metrics: reading_backlog select\n"
    "cuebox_metrics: reading_dead_letters select\n"
    "cuebox_metrics: reading_stranded select\n"
    "cuebox_metrics: reading_unrouted select\n"
    "cuebox_metrics: schema core usage\n"
    "cuebox_metrics: xmin_durations_visible() execute\n"
    "cuebox_metrics: xmin_holders() execute\n"
    "cuebox_operator: allocate_generation() execute\n"
    "cuebox_operator: allocate_generation() execute\n"
    "cuebox_operator: backlog_reading select\n"
    "cuebox_operator: dead_letters select\n"
    "cuebox_operator: dedup_horizon select\n"
    "cuebox_operator: deployments select\n"
    "cuebox_operator: drains select\n"
    "cuebox_operator: event_handled select\n"
    "cuebox_operator: find_dead_letters() execute\n"
    "cuebox_operator: find_events() execute\n"
    "cuebox_operator: generation_for() execute\n"
    "cuebox_operator: known_generations() execute\n"
    "cuebox_operator: metrics_backlog select\n"
    "cuebox_operator: metrics_dead_letters select\n"
    "cuebox_operator: metrics_deployments select\n"
    "cuebox_operator: metrics_storage select\n"
    "cuebox_operator: metrics_stranded select\n"
    "cuebox_operator: metrics_unrouted select\n"
    "cuebox_operator: metrics_workers select\n"
    "cuebox_operator: operator_actions select\n"
    "cuebox_operator: outbox select update(deleted_at)\n"
    "cuebox_operator: outbox_backlog() execute\n"
    "cuebox_operator: outbox_copies() execute\n"
    "cuebox_operator: outbox_discard() execute\n"
    "cuebox_operator: outbox_discard_many() execute\n"
    "cuebox_operator: outbox_drain() execute\n"
    "cuebox_operator: outbox_floors select\n"
    "cuebox_operator: outbox_handled_by() execute\n"
    "cuebox_operator: outbox_reading() execute\n"
    "cuebox_operator: outbox_reap() execute\n"
    "cuebox_operator: outbox_replay() execute\n"
    "cuebox_operator: outbox_replay_many() execute\n"
    "cuebox_operator: reading_backlog select\n"
    "cuebox_operator: reading_dead_letters select\n"
    "cuebox_operator: reading_stranded select\n"
    "cuebox_operator: reading_unrouted select\n"
    "cuebox_operator: retention_policies select update(active,grace)\n"
    "cuebox_operator: retire_generation() execute\n"
    "cuebox_operator: retire_generation() execute\n"
    "cuebox_operator: schema core usage\n"
    "cuebox_operator: schema_migrations select\n"
    "cuebox_operator: subscriptions select\n"
    "cuebox_operator: unsubscribe() execute\n"
    "cuebox_operator: workers select\n"
    "cuebox_operator: xmin_durations_visible() execute\n"
    "cuebox_operator: xmin_holders() execute\n"
    "cuebox_producer: outbox insert("
    "id,generation,available_at,occurred_at,event_version,quiet,event_type,target,channel,source,"
    "content_class,idempotency_key,domain_id,workspace_id,trace_context,payload)\n"
    "cuebox_producer: outbox_publish() execute\n"
    "cuebox_producer: schema core usage\n"
    "cuebox_producer: uuid_v7() execute\n"
    "cuebox_retention: outbox_generations() execute\n"
    "cuebox_retention: record_sweep() execute\n"
    "cuebox_retention: retention_policies select\n"
    "cuebox_retention: schema core usage\n"
    "cuebox_retention: sweep_event_handled() execute\n"
    "cuebox_retention: sweep_outbox() execute\n"
    "cuebox_worker: event_handled select insert\n"
    "cuebox_worker: outbox_advance_floor() execute\n"
    "cuebox_worker: outbox_backlog() execute\n"
    "cuebox_worker: outbox_claim() execute\n"
    "cuebox_worker: outbox_claim_locked() execute\n"
    "cuebox_worker: outbox_expand() execute\n"
    "cuebox_worker: outbox_extend() execute\n"
    "cuebox_worker: outbox_next_due() execute\n"
    "cuebox_worker: outbox_reading() execute\n"
    "cuebox_worker: outbox_reap() execute\n"
    "cuebox_worker: outbox_reap_events() execute\n"
    "cuebox_worker: outbox_recheck() execute\n"
    "cuebox_worker: outbox_settle() execute\n"
    "cuebox_worker: outbox_settle() execute\n"
    "cuebox_worker: outbox_settle_delivered() execute\n"
    "cuebox_worker: outbox_settle_locked() execute\n"
    "cuebox_worker: outbox_settle_locked() execute\n"
    "cuebox_worker: outbox_shares() execute\n"
    "cuebox_worker: outbox_trace_of() execute\n"
    "cuebox_worker: outbox_turn() execute\n"
    "cuebox_worker: reading_backlog select\n"
    "cuebox_worker: reading_dead_letters select\n"
    "cuebox_worker: reading_stranded select\n"
    "cuebox_worker: reading_unrouted select\n"
    "cuebox_worker: record_handled() execute\n"
    "cuebox_worker: retention_policies select\n"
    "cuebox_worker: schema core usage\n"
    "cuebox_worker: subscribe() execute\n"
    "cuebox_worker: worker_heartbeat() execute\n"
    "cuebox_worker: worker_heartbeat() execute\n"
    "cuebox_worker: worker_register() execute\n"
    "cuebox_worker: worker_running() execute\n"
    "cuebox_worker: worker_unregister() execute\n"
    "cuebox_worker: worker_vouch() execute\n"
    "cuebox_worker: workers_lost() execute\n"
    "cuebox_worker: xmin_durations_visible() execute\n"
    "cuebox_worker: xmin_holders() execute\n";

constexpr std::string_view platform_matrix = "cuebox_operator: agent_task_approvals select\n"
                                             "cuebox_operator: agent_task_approve() execute\n"
                                             "cuebox_operator: agent_task_cancel() execute\n"
                                             "cuebox_operator: agent_task_create() execute\n"
                                             "cuebox_operator: agent_task_reject() execute\n"
                                             "cuebox_operator: agent_task_states select\n"
                                             "cuebox_operator: agent_tasks select\n"
                                             "cuebox_operator: schema platform usage\n"
                                             "cuebox_producer: agent_task_approvals select\n"
                                             "cuebox_producer: agent_task_cancel() execute\n"
                                             "cuebox_producer: agent_task_create() execute\n"
                                             "cuebox_producer: agent_task_states select\n"
                                             "cuebox_producer: agent_tasks select\n"
                                             "cuebox_producer: schema platform usage\n"
                                             "cuebox_worker: agent_task_record() execute\n"
                                             "cuebox_worker: agent_task_start() execute\n"
                                             "cuebox_worker: agent_task_states select\n"
                                             "cuebox_worker: agent_task_unwanted() execute\n"
                                             "cuebox_worker: schema platform usage\n";

// A query about the schema core, asked of another one.
std::string about(std::string_view schema, std::string_view query)
{
    std::string asked(query);
    for (auto at = asked.find("core"); at != asked.npos; at = asked.find("core", at))
        asked.replace(at, 4, schema);
    return asked;
}

// What happens when a role does something: "done", or what the server says.
std::string attempt(const migrated& database, std::string_view role, std::string_view sql)
{
    try {
        database.query("set role " + std::string(role) + "; begin; " + std::string(sql) +
                       "; rollback");
    }
    catch (const std::exception& refused) {
        const std::string why = refused.what();
        return why.find("permission denied") != why.npos ? "denied" : why;
    }
    return "done";
}

}

TEST_CASE("each role may do what it needs and nothing else", "[outbox]")
{
    const migrated database;

    CHECK(database.query(matrix_query) + "\n" == matrix);
    CHECK(database.query(about("platform", matrix_query)) + "\n" == platform_matrix);
}

TEST_CASE("every function is hardened: its definer's rights, a pinned path, nothing for PUBLIC",
          "[outbox]")
{
    const migrated database;

    constexpr std::string_view soft_ones = R"(
        select p.oid::regprocedure from pg_proc p
        where p.pronamespace = 'core'::regnamespace
          and (not p.prosecdef
               or 'search_path=pg_catalog, pg_temp' <> all(coalesce(p.proconfig, '{}'))
               or has_function_privilege('public', p.oid, 'execute')
               or pg_get_userbyid(p.proowner) <> 'cuebox_owner'))";

    CHECK(database.query(soft_ones).empty());
    CHECK(database.query(about("platform", soft_ones)).empty());
    CHECK(database.query("select rolcanlogin from pg_roles where rolname = 'cuebox_owner'") == "f");
}

TEST_CASE("the outbox's trigger function is what it was on the first day", "[outbox]")
{
    const migrated database;

    CHECK(database.query("select prosrc from pg_proc where oid = 'core.outbox_notify'::regproc") ==
          "\nbegin\n    perform pg_notify(NEW.channel, NEW.id::text);\n    return null;\nend\n");
}

TEST_CASE("the server holds the roles to it", "[outbox]")
{
    const migrated database;
    constexpr auto insert = "insert into core.outbox (id, event_type, source, generation, payload, "
                            "idempotency_key) values (gen_random_uuid(), 't', 's', 1, '{}', 'k')";
    constexpr auto stamp = "insert into core.outbox (id, event_type, source, generation, payload, "
                           "idempotency_key, status) values (gen_random_uuid(), 't', 's', 1, '{}', "
                           "'k', 'delivered')";
    constexpr auto update = "update core.outbox set status = 'pending'";
    constexpr auto read = "select count(*) from core.outbox";
    constexpr auto forget = "delete from core.event_handled";
    constexpr auto remember =
        "insert into core.event_handled (handler_name, idempotency_key, event_id) "
        "values ('a.b', 'k', gen_random_uuid())";

    CHECK(attempt(database, "cuebox_producer", insert) == "done");
    CHECK(attempt(database, "cuebox_producer", stamp) == "denied");
    CHECK(attempt(database, "cuebox_producer", read) == "denied");
    CHECK(attempt(database, "cuebox_worker", insert) == "denied");
    CHECK(attempt(database, "cuebox_worker", update) == "denied");
    CHECK(attempt(database, "cuebox_worker", remember) == "done");
    CHECK(attempt(database, "cuebox_worker", forget) == "denied");
    CHECK(attempt(database, "cuebox_operator", read) == "done");
    CHECK(attempt(database, "cuebox_operator", update) == "denied");
    CHECK(attempt(database, "cuebox_operator", "select core.find_events()") == "done");
    for (const auto* role : {"cuebox_producer", "cuebox_worker", "cuebox_metrics"})
        CHECK(attempt(database, role, "select core.find_events()") == "denied");
    CHECK(attempt(database, "cuebox_retention", read) == "denied");
    CHECK(attempt(database, "cuebox_metrics", read) == "denied");
    CHECK(attempt(database, "cuebox_metrics", "select * from core.metrics_backlog") == "done");
}

TEST_CASE("who makes a task, who runs it and who decides on it are three, and none writes its row",
          "[outbox]")
{
    const migrated database;
    const std::string task = database.query("select platform.agent_task_create('k', 'api', 7)");
    constexpr auto create = "select platform.agent_task_create('k', 'api', 7)";
    constexpr auto start =
        "select platform.agent_task_start(id, dispatch_event_id, gen_random_uuid()) "
        "from platform.agent_task_states t";
    constexpr auto write = "update platform.agent_tasks set status = 'failed'";
    const std::string approve = "select platform.agent_task_approve('" + task + "', 7, 'ada')";

    CHECK(attempt(database, "cuebox_producer", create) == "done");
    CHECK(attempt(database, "cuebox_producer", approve) == "denied");
    CHECK(attempt(database, "cuebox_producer", start) == "denied");
    CHECK(attempt(database, "cuebox_worker", create) == "denied");
    CHECK(attempt(database, "cuebox_worker", approve) == "denied");
    CHECK(attempt(database, "cuebox_worker", "select id from platform.agent_task_states") ==
          "done");
    CHECK(attempt(database, "cuebox_worker",
                  "select platform.agent_task_start('" + task + "', '" + task + "', '" + task +
                      "')") == "done");
    CHECK(attempt(database, "cuebox_operator", create) == "done");
    CHECK(attempt(database, "cuebox_operator", start) == "denied");
    // It may, and the task is in no state for it.
    CHECK(attempt(database, "cuebox_operator", approve).find("is pending") != std::string::npos);
    for (const auto* role : {"cuebox_producer", "cuebox_worker", "cuebox_operator"})
        CHECK(attempt(database, role, write) == "denied");
    for (const auto* role : {"cuebox_retention", "cuebox_metrics"})
        CHECK(attempt(database, role, "select * from platform.agent_tasks") == "denied");
}

TEST_CASE("who may create roles and is no superuser can migrate, and change the schema later",
          "[outbox]")
{
    const migrated roles_exist;
    const cuebox::test::database database;
    const std::string user = database.name() + "_migrator";
    database.query("create role " + user + " login createrole; alter database " + database.name() +
                   " owner to " + user);
    // From Postgres 16 on: as it is for who has created the role.
    database.query("do $$ begin if current_setting('server_version_num')::int >= 160000 then "
                   "execute 'grant cuebox_owner to " +
                   user + " with admin true, set false, inherit false'; end if; end $$");

    run(outbox::migrate({.conninfo = database.conninfo() + " user=" + user}));

    CHECK(database.query("select distinct pg_get_userbyid(p.proowner) from pg_proc p "
                         "where p.pronamespace = 'core'::regnamespace") == "cuebox_owner");
    database.query("set session authorization " + user +
                   "; alter table core.outbox set (fillfactor = 50)");
}

#include <cuebox/outbox/roles.hpp>
#include <cuebox/pg/identifier.hpp>

#include <algorithm>
#include <array>

namespace cuebox::outbox {

namespace {

struct need
{
    std::string_view command;
    std::string_view role;
};

// A command stands for those below it that are not named. The grants are in migrations/*_roles.sql.
constexpr std::array<need, 10> needs{{{"publish", "cuebox_producer"},
                                      {"task create", "cuebox_producer"},
                                      {"worker", "cuebox_worker"},
                                      {"sweep", "cuebox_retention"},
                                      {"status", "cuebox_operator"},
                                      {"dlq", "cuebox_operator"},
                                      {"events", "cuebox_operator"},
                                      {"generation", "cuebox_operator"},
                                      {"drain", "cuebox_operator"},
                                      {"task", "cuebox_operator"}}};

constexpr std::string_view migrating = "migrate";

struct membership
{
    std::string login;
    bool granted;  // The role exists, and this database lets it in.
    bool member;   // May take the role on.
    bool inherits; // Has its rights without that.
    bool per_grant;
};

constexpr pg::statement read_membership{
    .name = "read membership",
    .sql = "select current_user::text as login, "
           "coalesce(pg_catalog.has_schema_privilege(r.oid, n.oid, 'usage'), false) as granted, "
           "coalesce(pg_catalog.pg_has_role(r.oid, 'member'), false) as member, "
           "coalesce(pg_catalog.pg_has_role(r.oid, 'usage'), false) as inherits, "
           "pg_catalog.current_setting('server_version_num')::int >= 160000 as per_grant "
           "from (select $1::text as name) wanted "
           "left join pg_catalog.pg_roles r on r.rolname = wanted.name "
           "left join pg_catalog.pg_namespace n on n.nspname = 'core'"};

// Whose the record of migrations is, and with that who has migrated so far.
struct migrator
{
    std::string login;
    std::string database;
    std::optional<std::string> owner;
    bool owner_is_superuser;
    bool able;
};

constexpr pg::statement read_migrator{
    .name = "read migrator",
    .sql = "select current_user::text as login, pg_catalog.current_database()::text as database, "
           "o.rolname::text as owner, coalesce(o.rolsuper, false) as owner_is_superuser, "
           "coalesce(pg_catalog.pg_has_role(o.oid, 'usage'), "
           "pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create')) as able "
           "from (select) one "
           "left join (pg_catalog.pg_class c join pg_catalog.pg_namespace n "
           "on n.oid = c.relnamespace and n.nspname = 'core') on c.relname = 'schema_migrations' "
           "left join pg_catalog.pg_roles o on o.oid = c.relowner"};

// Of each name one function will do: older ones of the same name may be left.
constexpr pg::statement find_denied_function{
    .name = "find denied function",
    .sql = "select not pg_catalog.has_schema_privilege('core', 'usage') or exists ("
           "select from pg_catalog.unnest('{worker_register,worker_heartbeat,outbox_claim,"
           "outbox_claim_locked,outbox_settle,outbox_turn,outbox_extend,outbox_reap,subscribe}'"
           "::text[]) needed where not exists (select from pg_catalog.pg_proc p "
           "where p.pronamespace = 'core'::pg_catalog.regnamespace and p.proname = needed "
           "and pg_catalog.has_function_privilege(p.oid, 'execute')))"};

std::string quoted(std::string_view name)
{
    return pg::quote_identifier(name);
}

std::string say(const membership& of, std::string_view command, std::string_view role)
{
    const std::string name(role);
    const std::string begin = "`cuebox " + std::string(command) + "` needs the role " + name;
    const std::string grant = "grant " + name + " to " + quoted(of.login);
    if (!of.granted)
        return begin + ", which has no rights in this database: the schema was made without " +
               "roles; connect as its owner, or run `cuebox migrate` as that to add them";
    if (of.member)
        return begin + ", which the login " + quoted(of.login) +
               " has but does not inherit: have an administrator run `" +
               (of.per_grant ? grant + " with inherit true`"
                             : "alter role " + quoted(of.login) + " inherit`");
    return begin + ", which the login " + quoted(of.login) +
           " does not have: have an administrator run `" + grant + "`";
}

std::string say(const migrator& of)
{
    if (!of.owner)
        return "`cuebox migrate` makes a schema, and the login " + quoted(of.login) +
               " may not: have an administrator run `grant create on database " +
               quoted(of.database) + " to " + quoted(of.login) + "; alter role " +
               quoted(of.login) + " createrole`";
    const std::string begin = "`cuebox migrate` changes what the login " + quoted(*of.owner) +
                              " has made, and the login " + quoted(of.login) + " may not: ";
    // Who is in the role of a superuser has far more rights than this needs.
    if (of.owner_is_superuser)
        return begin + "run it as " + quoted(*of.owner);
    return begin + "run it as " + quoted(*of.owner) + ", or have an administrator run `grant " +
           quoted(*of.owner) + " to " + quoted(of.login) + "`";
}

}

std::string_view role_for(std::string_view command)
{
    const auto covers = [command](const need& each) {
        return command == each.command ||
               (command.starts_with(each.command) && command[each.command.size()] == ' ');
    };
    const auto found = std::ranges::find_if(needs, covers);
    return found == needs.end() ? std::string_view() : found->role;
}

pg::awaitable<std::string> why_denied(pg::connection& connection, std::string command)
{
    if (command == migrating) {
        const auto of = co_await connection.query_one<migrator>(read_migrator);
        co_return of.able ? std::string() : say(of);
    }
    const std::string_view role = role_for(command);
    if (role.empty())
        co_return std::string();
    const auto of = co_await connection.query_one<membership>(read_membership, role);
    co_return of.inherits ? std::string() : say(of, command, role);
}

pg::awaitable<std::string> why_no_worker(pg::connection& connection)
{
    const bool denied = co_await connection.query_one<bool>(find_denied_function);
    if (!denied)
        co_return std::string();
    std::string why = co_await why_denied(connection, "worker");
    co_return why;
}

}

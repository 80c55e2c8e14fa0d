#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/migration.hpp>

#include <algorithm>

namespace cuebox::outbox {

namespace {

migration_status judge(const migration& file, const applied_migration* applied, bool without_roles)
{
    if (!applied)
        return without_roles && file.roles() ? migration_status::skipped
                                             : migration_status::pending;
    const bool known = applied->checksum == file.checksum ||
                       (!file.replaces.empty() && applied->checksum == file.replaces);
    return known ? migration_status::applied : migration_status::edited;
}

}

std::string_view to_string(migration_status status)
{
    switch (status) {
    case migration_status::applied:
        return "applied";
    case migration_status::pending:
        return "pending";
    case migration_status::skipped:
        return "skipped";
    case migration_status::edited:
        return "edited";
    case migration_status::unknown:
        return "unknown";
    }
    return "";
}

std::vector<migration_state> compare_migrations(std::span<const migration> files,
                                                std::span<const applied_migration> applied,
                                                bool without_roles)
{
    std::vector<migration_state> states;
    for (const migration& file : files) {
        const auto found = std::ranges::find(applied, file.version, &applied_migration::version);
        const applied_migration* row = found == applied.end() ? nullptr : &*found;
        states.push_back({.version = std::string(file.version),
                          .name = std::string(file.name),
                          .status = judge(file, row, without_roles),
                          .applied_at = row ? std::optional(row->applied_at) : std::nullopt});
    }
    for (const applied_migration& row : applied)
        if (std::ranges::find(files, row.version, &migration::version) == files.end())
            states.push_back({.version = row.version,
                              .name = row.name,
                              .status = migration_status::unknown,
                              .applied_at = row.applied_at});
    std::ranges::sort(states, {}, &migration_state::version);
    return states;
}

void refuse_edited(std::span<const migration_state> states)
{
    for (const migration_state& each : states)
        if (each.status == migration_status::edited)
            throw migration_error("migration " + each.version + "_" + each.name +
                                  " was edited after it was applied: restore the file it was "
                                  "applied from, and put the change into a new migration");
}

void refuse_without_roles(std::span<const migration_state> states)
{
    for (const migration_state& each : states)
        if (each.roles() && each.applied_at)
            throw migration_error("this database has Cuebox's roles (" + each.version + "_" +
                                  each.name +
                                  " was applied), and what is made without them nobody could use: "
                                  "migrate without --without-roles, as a user who may grant");
}

std::vector<std::vector<migration_state>> group_pending(std::span<const migration_state> states)
{
    const auto is_pending = [](const migration_state& each) {
        return each.status == migration_status::pending;
    };
    const bool in_use =
        std::ranges::any_of(states, [](const auto& each) { return each.applied_at.has_value(); });
    auto roles_left = std::ranges::count_if(
        states, [&](const migration_state& each) { return is_pending(each) && each.roles(); });
    std::vector<std::vector<migration_state>> groups;
    for (const migration_state& each : states) {
        if (!is_pending(each))
            continue;
        const bool on_the_way =
            !groups.empty() && in_use && roles_left > 0 && !groups.back().back().roles();
        const bool joins = !groups.empty() && (each.roles() || on_the_way);
        if (!joins)
            groups.emplace_back();
        groups.back().push_back(each);
        roles_left -= each.roles() ? 1 : 0;
    }
    return groups;
}

}

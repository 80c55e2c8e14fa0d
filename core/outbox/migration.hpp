#pragma once

#include <cuebox/pg/types.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::outbox {

// One file of migrations/, embedded at build time.
struct migration
{
    std::string_view version{};  // "20261116000100"
    std::string_view name{};     // "core_outbox"
    std::string_view checksum{}; // SHA-256 of the text.
    std::string_view sql{};
    // The checksum of an earlier text, if its line `-- replaces` names one: what was made by that
    // does as well.
    std::string_view replaces{};

    // Makes roles and grants, for which the migrating user may lack the right.
    bool roles() const { return name.ends_with("_roles"); }
};

// All of them, in order.
std::span<const migration> migrations();

// One row of core.schema_migrations.
struct applied_migration
{
    std::string version{};
    std::string name{};
    std::string checksum{};
    pg::timestamp applied_at{};
};

enum class migration_status
{
    applied,
    pending,
    skipped, // Roles, when they are not wanted.
    edited,  // Applied, from another text than today's.
    unknown  // Applied by a newer Cuebox: this one does not have the file.
};
std::string_view to_string(migration_status status);

struct migration_state
{
    std::string version{};
    std::string name{};
    migration_status status{};
    std::optional<pg::timestamp> applied_at{};

    bool roles() const { return name.ends_with("_roles"); }
};

// Pure: compares the files with what the database has, in the order of versions.
std::vector<migration_state> compare_migrations(std::span<const migration> files,
                                                std::span<const applied_migration> applied,
                                                bool without_roles);

// Throws migration_error when an applied file was edited since.
void refuse_edited(std::span<const migration_state> states);
// Throws migration_error when roles are in use already. What is made without them belongs to the
// migrating user, and functions that belong to cuebox_owner would call it in vain.
void refuse_without_roles(std::span<const migration_state> states);

// Pure: what is pending, in the order of versions, as it is to be applied: each group is one
// transaction. Roles and grants go with the file before them. Where the schema is in use already,
// everything up to them does: a function that was replaced must not be seen before what it calls
// may be called.
std::vector<std::vector<migration_state>> group_pending(std::span<const migration_state> states);

}

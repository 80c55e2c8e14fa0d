#pragma once

#include <cuebox/outbox/migration.hpp>
#include <cuebox/pg/connection.hpp>

#include <chrono>
#include <functional>
#include <vector>

namespace cuebox::outbox {

struct migrate_options
{
    // Leaves out roles and grants, for users who may not create roles.
    bool without_roles = false;
    // How long one migration may take, and how long to wait for another process that migrates.
    std::chrono::minutes each{30};
    // How long it waits for the tables it changes. Whoever comes meanwhile, publishers among them,
    // waits behind it: so it is short, and given up and tried again after a pause, so often.
    std::chrono::milliseconds lock_wait{3'000};
    std::chrono::milliseconds lock_pause{2'000};
    int lock_attempts = 60;
    // Called before each one is applied.
    std::function<void(const migration_state&)> progress{};
    // Called when its tables were not to be had, before the pause, with how often that was so.
    std::function<void(const migration_state&, int)> waiting{};
};

// Brings schema core up to date, each migration in a transaction together with the roles that
// belong to it (group_pending), and says what it applied. Throws migration_error for roles that
// would be left out where they are in use, and when others never let go of the tables. Safe to run
// twice and from many processes at once: one applies, the others wait and find nothing left to do.
// It opens a second connection, whose transaction holds the lock, so that it works through a
// transaction pooler too.
pg::awaitable<std::vector<migration_state>> migrate(pg::connect_options database);
pg::awaitable<std::vector<migration_state>> migrate(pg::connect_options database,
                                                    migrate_options options);

// Where each migration stands; changes nothing, also in a database that has never seen Cuebox.
pg::awaitable<std::vector<migration_state>> migration_states(pg::connection& database,
                                                             bool without_roles = false);

}

#pragma once

#include <cuebox/pg/conninfo.hpp>
#include <cuebox/worker/config.hpp>

#include <vector>

namespace cuebox::worker {

// Whether a database has what these contexts need: the schema of this program, and what their
// handlers ask for. Throws config::error with the place in the config, or what is wrong with the
// database.
awaitable<void> check_database(pg::connect_options database, std::vector<context_plan> plans);
// The handlers alone.
awaitable<void> check_handlers(pg::connect_options database, std::vector<context_plan> plans);

// Whether there is anything about the handlers that only a database can tell.
bool needs_database(const std::vector<context_plan>& plans);

// check_database(), for a program that does nothing else meanwhile.
void check_plans(std::vector<context_plan> plans, pg::connect_options database);
void check_config(const worker_config& config, const registry& handlers,
                  pg::connect_options database);

}

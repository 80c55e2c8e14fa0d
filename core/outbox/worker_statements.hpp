#pragma once

#include <cuebox/outbox/claim.hpp>
#include <cuebox/outbox/relay.hpp>
#include <cuebox/pg/params.hpp>
#include <cuebox/pg/statement.hpp>

#include <span>
#include <vector>

// The SQL of a worker, each statement with its parameters.
namespace cuebox::outbox {

extern const pg::statement claim_leased;
extern const pg::statement claim_locked;
extern const pg::statement expand_broadcasts;

// For rows of one kind: all delivered, which is nearly always, or one outcome each.
extern const pg::statement settle_delivered;
extern const pg::statement settle_outcomes;
pg::params settle_delivered_params(std::span<const settlement> rows);
pg::params settle_outcomes_params(std::span<const settlement> rows);
extern const pg::statement settle_locked_delivered;
extern const pg::statement settle_locked_outcomes;
pg::params settle_locked_delivered_params(std::span<const settlement> rows);
pg::params settle_locked_outcomes_params(std::span<const settlement> rows, std::string_view worker);
bool all_delivered(std::span<const settlement> rows);

// Writes what was handled; as a gate it gives the keys that were not there before.
extern const pg::statement record_handled;
extern const pg::statement gate_handled;
extern const pg::statement find_handled;
// In the order in which everybody writes them: transactions that meet wait, and do not deadlock.
pg::params handled_params(std::vector<const handled_record*> records);
pg::params handled_params(std::span<const handled_record> records);

extern const pg::statement extend_leases;
extern const pg::statement mark_running;
extern const pg::statement advance_floor;
extern const pg::statement next_due;
extern const pg::statement reap_rows;
extern const pg::statement recheck_rows;
extern const pg::statement subscribe_context;
extern const pg::statement register_worker;
extern const pg::statement worker_heartbeat;
pg::params heartbeat_params(std::string_view worker, const worker_report& report, bool listening);
extern const pg::statement unregister_worker;
extern const pg::statement workers_lost;
extern const pg::statement listening_channels;
extern const pg::statement say_on_channel;
extern const pg::statement try_sweep_lock;
extern const pg::statement sweep_generation;
extern const pg::statement sweep_handled;
extern const pg::statement read_policies;
extern const pg::statement list_generations;

}

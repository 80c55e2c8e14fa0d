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
// Settles one row, with its one record in $3 to $6, before it claims.
extern const pg::statement turn_one;
extern const pg::statement claim_locked;
extern const pg::statement expand_broadcasts;
extern const pg::statement shares_events;

// Settles: of rows that are all delivered, which is nearly always; of such rows of one claim, which
// is cheapest, in ascending order of their places; and with one outcome each.
using settlements = std::span<const settlement* const>;
extern const pg::statement settle_delivered;
extern const pg::statement settle_claim;
extern const pg::statement settle_outcomes;
pg::params settle_delivered_params(settlements rows);
pg::params settle_claim_params(settlements rows);
pg::params settle_outcomes_params(settlements rows);
extern const pg::statement settle_locked_delivered;
extern const pg::statement settle_locked_outcomes;
pg::params settle_locked_delivered_params(settlements rows);
pg::params settle_locked_outcomes_params(settlements rows, std::string_view worker);

// Write what was handled: many, which gives the positions of those that were there before, and says
// in $5 whether none is likely to be; or few, or one, which gives those that were not.
extern const pg::statement record_handled;
extern const pg::statement gate_handled;
extern const pg::statement gate_one;
extern const pg::statement find_handled;
pg::params handled_params(std::span<const handled_record* const> records);
pg::params handled_params(const handled_record& record);

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
extern const pg::statement vouch_for_worker;
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

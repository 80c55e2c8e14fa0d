#pragma once

#include <cuebox/pg/statement.hpp>

// The SQL of operators, each statement named. All of it is a cuebox_operator's to run, but for the
// record of a sweep, which is a cuebox_retention's.
namespace cuebox::operations {

// $1 to $11 are a filter: see dead_letters.cpp.
extern const pg::statement find_dlq_events;
extern const pg::statement count_dlq;
extern const pg::statement group_dlq_by_error;
extern const pg::statement group_dlq_by_type;
extern const pg::statement group_dlq_by_handler;

extern const pg::statement find_events;
extern const pg::statement read_event;
extern const pg::statement read_failure_history;
extern const pg::statement read_handled_by;
extern const pg::statement read_actions;
extern const pg::statement read_copies;

extern const pg::statement database_clock;
extern const pg::statement limit_time;
extern const pg::statement replay_rows;
extern const pg::statement discard_rows;

extern const pg::statement read_generations;
extern const pg::statement allocate_one;
extern const pg::statement retire_one;
extern const pg::statement read_unsettled;
extern const pg::statement drain_rows;

extern const pg::statement record_sweep;

}

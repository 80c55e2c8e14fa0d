#pragma once

#include <cuebox/pg/statement.hpp>

// The SQL of what an operator watches, for gauges and status; each gives rows of the struct of its
// name in reading.hpp.
namespace cuebox::outbox {

// Has the backlog counted if need be: $1 how old it may be, $2 whether to count in any case. No row
// when there is no count yet. A transaction of its own: while it is open nobody else counts.
extern const pg::statement take_reading;

// What was counted.
extern const pg::statement read_backlog;
extern const pg::statement read_dead_letters;
extern const pg::statement read_unrouted;
extern const pg::statement read_stranded;

// As it is now: $1 how many of them, oldest first.
extern const pg::statement read_xmin_holders;
extern const pg::statement read_notify_queue;

}

#pragma once

#include "task.hpp"

namespace bench::outbox {

// Each says ready, works when told to, and says what it came to.
void drain(const task& wanted);
// A worker that has been at it for a while gets all events by one commit.
void burst(const task& wanted);
void flow(const task& wanted);
void measure_latency(const task& wanted);

// The limits: the worker's statements over bare libpq, with no handler and nobody in between.
void drain_bare(const task& wanted);
// A NOTIFY on its way, and one claim after it.
void measure_bare_latency(const task& wanted);

}

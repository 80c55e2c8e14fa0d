#pragma once

#include "task.hpp"

namespace bench::outbox {

// The schema, a generation, and the events that the task wants in it.
void prepare(const task& wanted);

}

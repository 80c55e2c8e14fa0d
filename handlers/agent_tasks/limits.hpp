#pragma once

#include <cstddef>

namespace cuebox::agent_tasks {

// As JSON text, the way Postgres prints it: what a task is given, and what may come of a run.
inline constexpr std::size_t input_max = 256 * 1024;
inline constexpr std::size_t outcome_max = 1024 * 1024;

}

#pragma once

#include <chrono>

namespace cuebox::pg {

// Waits until every request to stop a statement that is under way has reached its server, for so
// long at most; whether they have. Before the end of a process, which would take along those that
// have not: their statements would run on, and commit.
bool wait_for_cancels(std::chrono::milliseconds longest);

}

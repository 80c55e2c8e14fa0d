#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/handling/arrival.hpp>
#include <cuebox/handling/verdict.hpp>

#include <span>

namespace cuebox::actors {

// The event of a row on its way to the handler of a run, which gets its span.
handling::arrival arrive(const company& company, const outbox::claimed_row_ptr& row,
                         const pg::uuid& token, handling::handler_run& run);

// The dedup record of a handler for a row, which views both.
outbox::handled_record record_of(const handling::handler& by, const outbox::claimed_row& row);

// One line, one note and one span for each handler that is through with a row: once it is known
// what is to become of it.
void report_runs(const company& company, const outbox::claimed_row& row,
                 std::span<const handling::handler_run> runs, const policy::verdict& verdict);

// What has become of a row, counted, and an alert when it is a dead letter: once it is committed,
// for until then somebody else may have the row, or nobody.
void report_settled(const company& company, const outbox::claimed_row& row,
                    const policy::verdict& verdict);

// The same for a row that was taken back from a dead worker.
void report_reaped(const company& company, const outbox::reaped_row& row);

}

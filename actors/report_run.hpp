#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/handling/arrival.hpp>

namespace cuebox::actors {

// The event of a row on its way to a handler.
handling::arrival arrive(const company& company, const outbox::claimed_row& row,
                         const std::shared_ptr<const event::envelope>& envelope,
                         const pg::uuid& token, const handling::handler& to);

// The dedup record of a handler for a row.
outbox::handled_record record_of(const handling::handler& by, const outbox::claimed_row& row);

// One line and one note for a handler that is through with a row.
struct run_report
{
    const outbox::claimed_row& row;
    const handling::handler& by;
    std::string_view result;
    event::timestamp began_at{};
    duration took{};
    std::string_view error{};
};
void report_run(const company& company, const run_report& report);

// The line for a row that has become a dead letter.
void report_dead_letter(const company& company, const outbox::claimed_row& row,
                        std::string_view reason);

}

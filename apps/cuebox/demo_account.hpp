#pragma once

#include "demo_screen.hpp"
#include "demo_shop.hpp"

#include <cuebox/pg/connection.hpp>

#include <cstdint>
#include <string>

namespace cuebox::cli {

// What became of the demo's events: what the shop knows beside what the database has. Printed with
// --json as it is.
struct demo_account
{
    bool adds_up = false;
    double seconds = 0;

    std::int64_t published = 0; // By the shop's own count.
    std::int64_t rows = 0;      // All the others: as the database has it.
    std::int64_t delivered = 0;
    std::int64_t dedup_records = 0;

    std::int64_t orders = 0; // Published; and what the transactional handler wrote for them.
    std::int64_t ledger_entries = 0;
    std::int64_t ledger_events = 0; // Different ones.
    std::int64_t cents = 0;
    std::int64_t ledger_cents = 0;

    std::int64_t parcels = 0; // Published; and what the leased handler handed over.
    std::int64_t parcels_shipped = 0;
    std::int64_t parcels_shipped_twice = 0; // At least once: allowed, and seldom.

    std::int64_t retries_planned = 0;
    std::int64_t retries = 0;
    std::int64_t events_retried = 0;

    std::int64_t dead_letters = 0;
    std::int64_t replayed = 0; // Of these, delivered since.
    std::string dead_letter_error;

    std::int64_t line_lost = 0;
    double line_back_after_ms = 0;

    double calm_p50_ms = 0; // One event at a time.
    double calm_p99_ms = 0;
    std::int64_t peak_per_second = 0;
};

// From publish to delivered, by the database's times, of events that succeeded at once.
struct demo_latency
{
    double p50_ms = 0;
    double p99_ms = 0;
};
pg::awaitable<demo_latency> measure_latency(pg::connection& database);

// Fills in what the shop and the database say, and whether that adds up. The caller awaits it.
pg::awaitable<void> audit(pg::connection& database, demo_shop& shop, demo_account& account);

void print_account(const demo_account& account, const demo_screen& screen);

}

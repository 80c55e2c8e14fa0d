#pragma once

#include <cuebox/config/read.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace bench::outbox {

// What a driver is asked to do, as bench/outbox/run writes it; the same for every system.
struct task
{
    std::string workload = "drain";
    std::string settings = "tuned";
    std::string handler = "noop";
    std::string delivery = "leased";
    std::int64_t events = 0;
    // Events that a worker has worked off before the others come.
    std::int64_t warm = 0;
    // Delivered rows that lie in the table before.
    std::int64_t history = 0;
    // Of a flow: for how long, how fast at most, and how many may be published and not handled.
    double seconds = 0;
    std::optional<double> rate{};
    std::int64_t window = 20'000;
    // Others drain the same database.
    bool shared = false;
    std::optional<std::size_t> batch{};
    std::optional<std::size_t> lanes{};
    std::optional<std::size_t> workers{};

    bool transactional() const { return delivery == "transactional"; }
    // Whether its handler leaves a row of its own for each event.
    bool writes() const { return handler == "row" || handler == "waiting"; }
};

}

#pragma once

#include <cuebox/actors/desk.hpp>
#include <cuebox/actors/measures.hpp>
#include <cuebox/actors/messages.hpp>
#include <cuebox/actors/trouble.hpp>
#include <cuebox/actors/vitals.hpp>
#include <cuebox/handling/handler_set.hpp>
#include <cuebox/handling/observer.hpp>
#include <cuebox/outbox/relay.hpp>
#include <cuebox/policy/claim_size.hpp>
#include <cuebox/policy/reconnect.hpp>
#include <cuebox/runtime/address.hpp>
#include <cuebox/telemetry/alert.hpp>
#include <cuebox/telemetry/log.hpp>
#include <cuebox/telemetry/span.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace cuebox::actors {

// How a listening context behaves; every field has its default.
struct settings
{
    // Leased rows handled at the same time.
    std::size_t workers = 16;
    // Transactional batches at the same time, and statements that claim and settle leased rows; a
    // connection each.
    std::size_t lanes = 2;
    // For what handlers offload; started when the first one does.
    std::size_t offload_threads = 4;
    policy::claim_limits claim{};
    // How long a leased row is this process's without a renewal; it is renewed every third of it.
    std::chrono::milliseconds lease = std::chrono::seconds(300);
    // Always: a NOTIFY that was lost costs at most this.
    std::chrono::milliseconds safety_poll = std::chrono::seconds(30);
    // While no NOTIFY can be heard.
    std::chrono::milliseconds poll = std::chrono::seconds(5);
    policy::reconnect_limits reconnect{};
    // How often the line is proved to be alive.
    std::chrono::milliseconds heartbeat = std::chrono::seconds(2);
    // A handler that runs for longer is named to the database, so that the death of its worker
    // costs its row an attempt.
    std::chrono::milliseconds mark_after{50};
    // How often dead workers are looked for; expired leases five times per lease.
    std::chrono::milliseconds reap = std::chrono::seconds(1);
    std::chrono::milliseconds gauge = std::chrono::seconds(30);
    std::chrono::milliseconds sweep = std::chrono::minutes(10);
    // None: what the database's registry says.
    std::optional<outbox::retention> retention{};
    // After the death of a worker events are taken with care for so long.
    std::chrono::milliseconds careful = std::chrono::seconds(60);
    // How long running handlers may take to finish when the context is stopped.
    std::chrono::milliseconds stop_deadline = std::chrono::seconds(30);
};

// The first setting that breaks a rule, under the name it has in a config, and the rule; none when
// a context can follow them. docs/configuration.md states the rules. Retention has its own.
std::optional<std::pair<std::string_view, std::string_view>> find_fault(const settings& rules);

// What became of the rows of a context since it was made.
struct tally
{
    std::uint64_t delivered = 0;
    std::uint64_t retried = 0;
    std::uint64_t failed = 0;
};

// Counted on the context's loop, read from anywhere.
class tally_keeper
{
public:
    void delivered() noexcept { delivered_.fetch_add(1, std::memory_order_relaxed); }
    void retried() noexcept { retried_.fetch_add(1, std::memory_order_relaxed); }
    void failed() noexcept { failed_.fetch_add(1, std::memory_order_relaxed); }

    tally read() const noexcept
    {
        return {.delivered = delivered_.load(std::memory_order_relaxed),
                .retried = retried_.load(std::memory_order_relaxed),
                .failed = failed_.load(std::memory_order_relaxed)};
    }

private:
    std::atomic<std::uint64_t> delivered_{0};
    std::atomic<std::uint64_t> retried_{0};
    std::atomic<std::uint64_t> failed_{0};
};

// What the actors of one context share. Made before any of them starts; only the handlers may be
// exchanged later, for others of the same names, on the context's loop: who uses them across a wait
// keeps the pointer.
struct company
{
    std::string name{};
    std::int64_t generation = 0;
    std::shared_ptr<outbox::relay> relay{};
    std::shared_ptr<const handling::handler_set> handlers{};
    actors::settings settings{};
    telemetry::logger log{};
    // These four may be empty.
    handling::observer observer{};
    std::shared_ptr<actors::measures> measures{};
    telemetry::span_sink spans{};
    telemetry::alert_sink alert{};
    std::shared_ptr<tally_keeper> tally = std::make_shared<tally_keeper>();
    std::shared_ptr<trouble_book> trouble = std::make_shared<trouble_book>();
    std::shared_ptr<actors::vitals> vitals = std::make_shared<actors::vitals>();
    std::shared_ptr<actors::office> office = std::make_shared<actors::office>();
    std::shared_ptr<offload_pool> threads{};

    address<connection_messages> connection{};
    std::vector<address<settler_messages>> settlers{};
    address<crew_messages> crew{};
    std::vector<address<lane_messages>> lanes{};
    address<claimer_messages> claimer{};
    address<retry_messages> retry{};
};

using company_ptr = std::shared_ptr<const company>;

}

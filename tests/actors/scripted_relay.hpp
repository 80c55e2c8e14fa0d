#pragma once

#include "gate.hpp"

#include <cuebox/outbox/relay.hpp>
#include <cuebox/runtime/stage.hpp>

#include <functional>
#include <map>
#include <set>

namespace cuebox::actors::test {

// What a context asks of the database, so that a script can name it.
enum class statement
{
    exchange,
    already_handled,
    extend,
    mark_running,
    begin,
    advance_floor,
    next_due,
    open_line,
    check_line,
    listen_also,
    hang_up,
    keep_alive,
    lost_workers,
    reap,
    read_gauges,
    sweep
};

enum class row_status
{
    pending,
    in_flight,
    delivered,
    failed
};

struct model_row
{
    outbox::claimed_row row{};
    row_status status = row_status::pending;
    pg::uuid token{};
    time_point claimed_at{};
    std::string last_error{};
};

// A statement that came: when, and for a claim how many rows it was to bring and whether it looked
// at everything; and how many outcomes it wrote.
struct call
{
    statement what{};
    time_point at{};
    std::optional<std::size_t> limit{};
    bool full = false;
    std::size_t outcomes = 0;
};

// A row that was put off, by how much.
struct put_off
{
    time_point at{};
    std::chrono::microseconds delay{};
};

class scripted_line;

// An outbox in memory, by the clock of a stage, whose ills are the test's to choose. It follows the
// schema: rows that wait are due at `available_at`, those in flight carry the token of their claim,
// and a settlement with another token changes nothing.
class scripted_relay final : public outbox::relay
{
public:
    explicit scripted_relay(stage& on) : stage_(on) {}

    // --- the world ---

    // Each is an order with that number; returns its row. Listeners are told unless notifications
    // are being swallowed.
    pg::uuid publish(std::int64_t number, duration due_in = {});
    std::vector<pg::uuid> publish_many(std::int64_t count);
    const model_row& row(const pg::uuid& id) const { return *find(id); }
    std::size_t count(row_status status) const;
    // Somebody else holds the row now.
    void take_lease(const pg::uuid& id);

    // --- the script ---

    // Every statement fails, and no line can be opened.
    bool database_away = false;
    // No line can be opened.
    bool line_refused = false;
    // Lines are silent and their checks fail: the other end is gone and nobody said so.
    bool line_half_open = false;
    // Why lines that are opened from now on hear nothing; empty when they do.
    std::string deaf{};
    bool swallow_notifications = false;
    // Workers of the context that have died, and whose rows are not seen to yet.
    int dead_workers = 0;
    // What a gauge is told besides the numbers of rows.
    outbox::gauges gauges{};
    // These fail, as a statement does.
    std::set<statement> failing{};
    // Called as the statement comes in, once.
    std::map<statement, std::function<void()>> upon{};
    // The next such statement throws what is no exception, which nobody in the context expects.
    void crash_on(statement what);
    void break_line();
    void hold(statement what) { gates_[what].close(); }
    void release(statement what) { gates_[what].open(); }
    std::size_t held(statement what) { return gates_[what].waiting(); }

    // --- what came of it ---

    std::vector<call> calls{};
    std::vector<put_off> delays{};
    // Whose lease was renewed by the last `extend`, and who was named by the last `mark_running`.
    std::vector<pg::uuid> extended{};
    std::vector<pg::uuid> running{};
    std::vector<std::string> channels{};
    // What the worker said of itself last.
    outbox::worker_report report{};
    std::set<std::pair<std::string, std::string>> handled{}; // handler, key
    std::vector<time_point> times(statement what) const;
    std::vector<std::size_t> claim_limits() const;
    std::size_t full_claims() const;

    // --- outbox::relay ---

    const std::string& worker() const override { return worker_; }
    pg::awaitable<exchanged> exchange(std::span<const outbox::settlement> outcomes,
                                      std::optional<outbox::claim_request> wanted) override;
    pg::awaitable<std::vector<bool>>
    already_handled(std::vector<outbox::handled_record> keys) override;
    pg::awaitable<std::vector<pg::uuid>> extend(std::vector<lease> held) override;
    pg::awaitable<void> mark_running(std::vector<pg::uuid> rows) override;
    pg::awaitable<std::unique_ptr<outbox::locked_batch>> lock(outbox::claim_request) override;
    pg::awaitable<std::unique_ptr<outbox::locked_batch>> begin() override;
    pg::awaitable<event::timestamp> advance_floor() override;
    pg::awaitable<std::optional<std::chrono::microseconds>> next_due() override;
    pg::awaitable<std::unique_ptr<outbox::line>> open_line(std::vector<std::string>) override;
    pg::awaitable<void> keep_alive(outbox::worker_report said) override;
    pg::awaitable<int> lost_workers() override;
    pg::awaitable<std::vector<outbox::reaped_row>> reap(outbox::reap_request how) override;
    pg::awaitable<outbox::gauges> read_gauges(std::chrono::milliseconds age_max) override;
    pg::awaitable<outbox::swept> sweep(std::optional<outbox::retention> rules) override;

private:
    friend class scripted_line;

    awaitable<void> perform(statement what, std::optional<std::size_t> limit = std::nullopt,
                            bool full = false, std::size_t outcomes = 0);
    pg::timestamp now() const;
    pg::uuid next_id();
    model_row* find(const pg::uuid& id);
    const model_row* find(const pg::uuid& id) const;
    void notify();
    bool settle(const outbox::settlement& outcome);
    void put_back(model_row& each, std::chrono::microseconds delay);
    outbox::claimed claim(const outbox::claim_request& wanted);

    stage& stage_;
    std::string worker_ = "billing@stage:1";
    std::vector<model_row> rows_;
    std::uint64_t ids_ = 0;
    std::map<statement, gate> gates_;
    scripted_line* line_ = nullptr;
};

class scripted_line final : public outbox::line
{
public:
    explicit scripted_line(scripted_relay& home);
    ~scripted_line() override;

    const std::string& deaf_because() const override { return deaf_; }
    pg::awaitable<void> heard() override;
    pg::awaitable<void> check(outbox::worker_report said) override;
    pg::awaitable<void> listen_also(std::string channel) override;
    pg::awaitable<void> hang_up() override;

    void say();
    void snap();

private:
    scripted_relay& home_;
    std::string deaf_;
    bool broken_ = false;
    gate silence_;
};

}

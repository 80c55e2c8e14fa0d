#pragma once

#include <cuebox/outbox/relay.hpp>
#include <cuebox/pg/pool.hpp>
#include <cuebox/policy/novelty.hpp>
#include <cuebox/policy/sharing.hpp>

namespace cuebox::outbox {

struct relay_options
{
    // The listening context, as targets and subscriptions name it.
    std::string context{};
    std::int64_t generation = 0;
    // Channels to claim from and to listen on; none is every channel of the generation.
    std::optional<std::vector<std::string>> channels{};
    // Where the line connects to: the database itself, not a transaction pooler.
    pg::connect_options line{};
    // No session of the line is its own: the connection goes through a transaction pooler.
    bool pooled_line = false;
    // Under which rows are held; made up when empty.
    std::string worker{};
};

// The outbox in Postgres. On the pool's executor, as everything that uses it.
class pg_relay final : public relay
{
public:
    // The pool must outlive it.
    pg_relay(pg::pool& pool, relay_options options);

    const std::string& worker() const override { return options_.worker; }

    pg::awaitable<exchanged> exchange(std::span<const settlement> outcomes,
                                      std::optional<claim_request> wanted) override;
    pg::awaitable<std::vector<bool>> already_handled(std::vector<handled_record> keys) override;
    pg::awaitable<std::vector<pg::uuid>> extend(std::vector<lease> held) override;
    pg::awaitable<void> mark_running(std::vector<pg::uuid> rows) override;
    pg::awaitable<std::unique_ptr<locked_batch>> lock(claim_request wanted) override;
    pg::awaitable<std::unique_ptr<locked_batch>> begin() override;
    pg::awaitable<event::timestamp> advance_floor() override;
    pg::awaitable<std::optional<std::chrono::microseconds>> next_due() override;
    pg::awaitable<std::unique_ptr<line>> open_line(std::vector<std::string> event_types) override;
    pg::awaitable<int> lost_workers() override;
    pg::awaitable<void> keep_alive(worker_report report) override;
    pg::awaitable<void> vouch(std::optional<pg::uuid> running) override;
    pg::awaitable<std::vector<reaped_row>> reap(reap_request how) override;
    pg::awaitable<std::int64_t> recheck() override;
    pg::awaitable<gauges> read_gauges(std::chrono::milliseconds age_max) override;
    pg::awaitable<swept> sweep(std::optional<retention> rules) override;

private:
    // The first two steps of a claim that looks for broadcasts, in a transaction of their own so
    // that their failure leaves the rest as it is; and what their answers say.
    struct expansion
    {
        std::size_t rows = 0;
        std::string trouble{};
    };
    void add_expand(pg::pipeline& steps, const claim_request& wanted) const;
    static expansion read_expand(std::span<const pg::outcome> answers, policy::sharing& learns);

    // The values of a claim, behind those that its statement takes before.
    pg::params claim_params(pg::params before, const pg::uuid& token,
                            const claim_request& wanted) const;
    // Settles one row and claims in one call. Nothing when the row is no longer ours: then nothing
    // has happened.
    pg::awaitable<std::optional<claimed>> turn(const settlement& done, const claim_request& wanted);

    pg::pool& pool_;
    relay_options options_;
    policy::novelty novelty_;
    // Of the events that are leased, and of those that are locked.
    policy::sharing leased_;
    policy::sharing locked_;
};

// Whether LISTEN can work on a connection, tried out: empty, or why not. A transaction pooler in
// between takes the session away after each transaction.
pg::awaitable<std::string> why_deaf(pg::connect_options where);

}

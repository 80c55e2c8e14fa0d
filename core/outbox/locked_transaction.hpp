#pragma once

#include <cuebox/outbox/relay.hpp>
#include <cuebox/pg/pool.hpp>
#include <cuebox/pg/transaction.hpp>
#include <cuebox/policy/novelty.hpp>

namespace cuebox::outbox {

// Private to this room: a batch of the transactional flow on a borrowed connection.
class locked_transaction final : public locked_batch
{
public:
    // The relay's `novelty` outlives it.
    locked_transaction(pg::pool::borrowed connection, std::string worker, policy::novelty& novelty);

    pg::awaitable<void> claim(pg::params values, std::size_t expanded);

    const std::vector<claimed_row_ptr>& rows() const override { return rows_; }
    std::size_t expanded() const override { return expanded_; }
    pg::awaitable<std::vector<bool>> open_gate(std::vector<handled_record> keys) override;
    pg::awaitable<void> undo_gate() override;
    pg::awaitable<void> check_constraints() override;
    pg::transaction& work() override { return transaction_; }
    pg::awaitable<void> settle(std::vector<settlement> outcomes) override;

private:
    pg::pool::borrowed connection_;
    pg::transaction transaction_;
    std::string worker_;
    policy::novelty& novelty_;
    std::vector<claimed_row_ptr> rows_;
    std::size_t expanded_ = 0;
    bool gate_open_ = false;
    pg::transaction::additions before_gate_{};
};

}

#pragma once

#include <cuebox/outbox/claim.hpp>
#include <cuebox/pg/outcome.hpp>
#include <cuebox/pg/pipeline.hpp>
#include <cuebox/policy/novelty.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace cuebox::outbox {

// Private to this room: dedup records that are written by one step of a pipeline, and what the
// answer says of them. The records have to stay where they are until it is read.
class recording
{
public:
    recording(std::vector<const handled_record*> records, policy::novelty& novelty);

    void add_to(pg::pipeline& steps);

    // For each record, in the order they were given, whether it is the caller's: the others were
    // there before.
    std::vector<bool> read(std::span<const pg::outcome> answers) const;
    // For who does not ask: whether it was written, and what to expect of the next ones.
    void learn(std::span<const pg::outcome> answers) const;

private:
    bool many() const noexcept;

    std::vector<const handled_record*> records_;
    // How they are written: in an order that everybody keeps, so that transactions that meet wait,
    // and do not deadlock.
    std::vector<std::size_t> order_;
    policy::novelty& novelty_;
    std::size_t step_ = 0;
};

// For each key whether the result, of columns `handler` and `idempotency_key`, has it; each row of
// the result answers for one key only.
std::vector<bool> which_are_among(std::span<const handled_record* const> keys,
                                  const pg::result& found);

}

#pragma once

#include "libpq.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bench::outbox::bare {

// What a worker does with the leased flow, statement by statement, and no more: claim, write the
// dedup records, settle. Rows are handled by nobody.
class claims
{
public:
    explicit claims(std::int64_t generation, std::string worker);

    // Settles what the last call claimed and claims up to `limit`, in one round trip. Gives how
    // many were settled.
    std::int64_t exchange(int limit);
    bool holding() const noexcept { return !ids_.empty(); }

private:
    std::vector<connection::step> settle_steps() const;
    connection::step claim_step(int limit);
    void take(const PGresult* claimed);

    connection on_;
    std::int64_t generation_;
    std::string worker_;
    std::string token_;
    // The latest row that was claimed: the next claim starts there.
    std::int64_t from_;
    std::vector<std::string> ids_;
    std::vector<std::string> event_ids_;
    std::vector<std::string> keys_;
    // In ascending order: a claim gives rows in that of their places.
    std::vector<std::string> places_;
};

}

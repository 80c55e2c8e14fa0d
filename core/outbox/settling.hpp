#pragma once

#include <cuebox/outbox/claim.hpp>
#include <cuebox/pg/outcome.hpp>
#include <cuebox/pg/pipeline.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace cuebox::outbox {

// Private to this room: the steps of a pipeline that settle a batch, as few and as cheap as its
// outcomes allow.
class settling
{
public:
    // The outcomes stay where they are until the answers are read.
    explicit settling(std::span<const settlement> outcomes);

    // The delivered ones first; in the order of their claims and places, which is nearly that of
    // their making.
    std::span<const settlement* const> rows() const noexcept { return rows_; }

    // Leased rows.
    void add_to(pg::pipeline& steps);
    // Rows that the transaction has locked.
    void add_locked_to(pg::pipeline& steps, std::string_view worker);

    // The rows that were not settled, because they are somebody else's by now.
    std::vector<pg::uuid> lost(std::span<const pg::outcome> answers) const;

private:
    std::vector<const settlement*> rows_;
    std::ptrdiff_t delivered_ = 0;
    std::vector<std::size_t> steps_;
};

}

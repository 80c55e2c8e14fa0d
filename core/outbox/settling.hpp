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
    // Leased rows.
    void add_to(pg::pipeline& steps, std::span<const settlement> outcomes);
    // Rows that the transaction has locked.
    void add_locked_to(pg::pipeline& steps, std::span<const settlement> outcomes,
                       std::string_view worker);

    // The rows that were not settled, because they are somebody else's by now.
    std::vector<pg::uuid> lost(std::span<const pg::outcome> answers) const;

private:
    std::vector<std::size_t> steps_;
};

}

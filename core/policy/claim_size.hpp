#pragma once

#include <chrono>
#include <cstddef>

namespace cuebox::policy {

struct claim_limits
{
    // On a wake: what there is to do is then most often little.
    std::size_t batch_min = 10;
    // Under backlog.
    std::size_t batch_max = 500;
    // A batch that takes longer than this to be handled is large enough.
    std::chrono::milliseconds batch_time{250};
};

// How many rows to claim at a time. It doubles while claims come back full and their rows are
// handled fast, and halves when there is less to do than was asked for.
class claim_size
{
public:
    explicit claim_size(claim_limits limits) noexcept;

    std::size_t now() const noexcept { return now_; }

    // What a claim of `asked` rows brought, and how long its rows took until they were handled.
    void claimed(std::size_t asked, std::size_t got) noexcept;
    void handled(std::size_t rows, std::chrono::nanoseconds took) noexcept;

private:
    claim_limits limits_;
    std::size_t now_;
    std::size_t asked_ = 0;
    bool full_ = false;
};

}

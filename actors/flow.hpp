#pragma once

#include <cuebox/outbox/claim.hpp>
#include <cuebox/policy/claim_cursor.hpp>
#include <cuebox/policy/claim_size.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cuebox::actors {

// What the claimer knows of one of the two flows: what to look for, from where on, how much at a
// time, and whether there is any point in looking now. No clock and no mailbox: `now` is given.
class flow
{
public:
    using time = std::chrono::nanoseconds;

    // For so many who claim.
    flow(std::vector<std::string> types, std::size_t hands, const policy::claim_limits& limits);

    bool hungry(time now) const noexcept;
    outbox::claim_request request(std::size_t limit, time now) const;
    // It was sent.
    void asked(const policy::claim_bounds& bounds) noexcept { cursor_.asked(bounds); }
    // When it is hungry but must wait.
    std::optional<time> held_back_until(time now) const noexcept;

    // An answer to a request, or that the database did not answer.
    void answered(const policy::claim_bounds& bounds, const policy::claim_reach& reach,
                  std::size_t expanded, time now);
    void failed(time now);
    // There may be something, somewhere.
    void woken() noexcept;
    // True when that is a reason to look again.
    bool set_floor(event::timestamp floor) noexcept;

    // A look at everything is due, and not too early.
    bool wants_look(time now) const noexcept
    {
        return more_ && cursor_.wants_full() && now >= cursor_.full_at();
    }
    // The last answers were as many as asked for: there is more than one claim's worth.
    bool backlog() const noexcept { return backlog_; }
    const std::vector<std::string>& types() const noexcept { return types_; }

    policy::claim_size size;
    std::vector<bool> busy;
    // Whether now is a time to look everywhere, should that be due.
    bool may_look = true;

private:
    std::vector<std::string> types_;
    policy::claim_cursor cursor_;
    bool more_ = true;         // There may be rows that no claim has looked at.
    bool end_reached_ = false; // Past where claims got to there are none.
    bool backlog_ = false;
    bool expands_ = false;
    time not_before_{};
};

}

#pragma once

#include <cuebox/event/timestamp.hpp>

#include <chrono>
#include <cstddef>

namespace cuebox::policy {

// From where a claim looks: ordinary rows in the order of created_at, due ones in that of
// available_at.
struct claim_bounds
{
    event::timestamp from = event::timestamp::min();
    event::timestamp due_from = event::timestamp::min();
    // Looks at everything there is, not only past where earlier claims got to.
    bool full = true;
    // Looks back a little further than usual.
    bool deep = false;

    bool operator==(const claim_bounds&) const = default;
};

// How far a claim got: the latest row of each kind it returned, or nothing.
struct claim_reach
{
    std::size_t asked = 0;
    std::size_t got = 0;
    // Of the ordinary rows, and of the due ones; as early as can be when there was none.
    event::timestamp ordinary = event::timestamp::min();
    event::timestamp due = event::timestamp::min();
    std::chrono::nanoseconds took{};
};

// Where the next claim starts. A full claim finds every row; a quick one, made while there is more
// than fits, starts where the last one got to, or a little before that once the end is reached:
// what is new there need not have come in order. Full claims are kept to a twentieth of the time,
// so that rows which nobody can take (a hundred thousand of them in front of everyone) cost little.
// In between, once it has been quiet for a moment, a deep one goes back by a quarter of a second:
// that is where rows mostly are that were committed late.
class claim_cursor
{
public:
    using time = std::chrono::nanoseconds; // Of a clock that only goes forward.

    // `may_look`: whether this is a time for a full one.
    claim_bounds next(time now, bool may_look = true) const noexcept;
    // They were asked for: whoever calls for a look everywhere from now on means another one.
    void asked(const claim_bounds& bounds) noexcept;
    void claimed(const claim_bounds& bounds, const claim_reach& reach, time now) noexcept;
    // It was not answered.
    void failed(time now) noexcept;

    // Below it nothing is left to do. True when it went back: something was committed late.
    bool set_floor(event::timestamp floor) noexcept;
    // The next claim is a full one, or the first after full_at(), when it may be.
    void look_everywhere() noexcept { full_due_ = deep_due_ = true; }
    bool wants_full() const noexcept { return full_due_; }
    time full_at() const noexcept { return full_at_; }
    // The same for a deep one.
    bool wants_deep() const noexcept { return deep_due_ && at_end_; }
    time deep_at() const noexcept { return deep_at_; }

private:
    event::timestamp floor_ = event::timestamp::min();
    event::timestamp position_ = event::timestamp::min();
    event::timestamp due_position_ = event::timestamp::min();
    bool full_due_ = true;
    bool at_end_ = false;
    time full_at_{};
    bool deep_due_ = false;
    time deep_at_{};
};

}

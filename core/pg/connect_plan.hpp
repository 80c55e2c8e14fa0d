#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::pg::detail {

// Decides which address to try next and until when: pure, its caller has the clock and the sockets.
// Each address gets address_deadline, and no more than an equal share of what is left, so that a
// silent first host cannot use up the time of the others.
class connect_plan
{
public:
    using time_point = std::chrono::steady_clock::time_point;
    using duration = std::chrono::steady_clock::duration;

    struct address
    {
        std::string name{};    // For messages.
        std::size_t target{};  // Its place in the caller's list.
        std::string session{}; // What target_session_attrs asks of this attempt.
    };
    struct attempt
    {
        const address* to{};
        time_point until{};
    };

    // "prefer-standby" means a round of standbys, then a round of any.
    connect_plan(std::vector<std::string> names, std::string_view session, time_point deadline,
                 duration each);

    // None when all have been tried or the time is up.
    std::optional<attempt> next(time_point now);
    void failed(std::string_view why);

    // One sentence about every attempt.
    std::string account() const;

private:
    std::vector<address> addresses_;
    std::size_t tried_ = 0;
    time_point deadline_;
    duration each_;
    std::vector<std::string> failures_;
};

}

#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/self.hpp>

namespace cuebox::actors {

// Knows when the next waiting row is due, a retry or a delayed event, and wakes the claimer then.
// The waiting itself is durable: this is only the alarm clock.
class retry
{
public:
    using messages = retry_messages;
    static constexpr std::string_view kind = "retry";

    explicit retry(company_ptr company) : company_(std::move(company)) {}

    awaitable<void> run(self<messages>& me);

private:
    awaitable<void> find_next(self<messages>& me);
    void arm(self<messages>& me, duration in);

    company_ptr company_;
    std::uint64_t alarm_ = 0;
    time_point rings_at_{};
    bool looking_ = false;
};

}

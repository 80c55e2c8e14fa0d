#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/self.hpp>

namespace cuebox::actors {

// Returns the rows of workers that have died, within seconds, and of leases that ran out.
class reaper
{
public:
    using messages = reaper_messages;
    static constexpr std::string_view kind = "reaper";

    explicit reaper(company_ptr company);

    awaitable<void> run(self<messages>& me);

private:
    awaitable<void> recheck();

    company_ptr company_;
    outbox::reap_request request_;
    std::size_t ticks_ = 0;
    time_point not_before_{};
    std::size_t first_look_ = 0;
    std::size_t expired_every_ = 1;
};

}

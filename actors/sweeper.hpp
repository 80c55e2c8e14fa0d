#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/self.hpp>

namespace cuebox::actors {

// Retention: of all sweepers of a database one is at work at a time.
class sweeper
{
public:
    using messages = sweeper_messages;
    static constexpr std::string_view kind = "sweeper";

    explicit sweeper(company_ptr company) : company_(std::move(company)) {}

    awaitable<void> run(self<messages>& me);

private:
    company_ptr company_;
};

}

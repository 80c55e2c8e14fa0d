#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/self.hpp>

namespace cuebox::actors {

// The workers' parent: hires as many as are asked for, also while the context runs. One that is
// told to shrink keeps its workers, idle; a worker that fails takes the crew with it, and a
// supervisor brings it back.
class crew
{
public:
    using messages = crew_messages;
    static constexpr std::string_view kind = "crew";

    explicit crew(company_ptr company) : company_(std::move(company)) {}

    awaitable<void> run(self<messages>& me);

private:
    void hire(self<messages>& me, std::size_t wanted);
    void tell_claimer() const;

    company_ptr company_;
    std::vector<address<worker_messages>> workers_;
    std::size_t at_work_ = 0;
};

}

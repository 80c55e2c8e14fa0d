#include "crew.hpp"

#include "worker.hpp"

#include <cuebox/runtime/actor.hpp>

#include <stdexcept>

namespace cuebox::actors {

awaitable<void> crew::run(self<messages>& me)
{
    hire(me, company_->settings.workers);
    while (auto message = co_await me.receive()) {
        if (const auto* size = std::get_if<resize>(&*message))
            hire(me, size->workers);
        else if (const auto* gone = std::get_if<exited>(&*message))
            throw std::runtime_error(gone->path() + ": " + gone->reason.what());
        else
            tell_claimer();
    }
}

void crew::hire(self<messages>& me, std::size_t wanted)
{
    const child_options patient{.restart = restart::temporary,
                                .stop_deadline = company_->settings.stop_deadline};
    while (workers_.size() < wanted) {
        const std::size_t index = workers_.size();
        workers_.push_back(
            me.spawn<worker>("worker-" + std::to_string(index + 1), patient, company_, index));
    }
    at_work_ = wanted;
    tell_claimer();
}

void crew::tell_claimer() const
{
    (void)company_->claimer.try_send(crew_present{workers_, at_work_});
}

}

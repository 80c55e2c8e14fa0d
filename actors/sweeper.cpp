#include "sweeper.hpp"

#include "trouble.hpp"

#include <cuebox/pg/error.hpp>

namespace cuebox::actors {

awaitable<void> sweeper::run(self<messages>& me)
{
    me.every(company_->settings.sweep, tick{});
    bool allowed = true;
    while (auto message = co_await me.receive()) {
        if (!allowed)
            continue;
        try {
            const auto done = co_await company_->relay->sweep(company_->settings.retention);
            if (done.tombstoned + done.deleted > 0)
                company_->log.info("swept",
                                   {{"tombstoned", done.tombstoned}, {"deleted", done.deleted}});
        }
        catch (const pg::error& error) {
            // The worker's user need not be the one that sweeps.
            allowed = error.sqlstate() != "42501";
            if (allowed)
                note_trouble(company_->log, *company_->trouble, "sweeper", error);
            else
                company_->log.info("this user may not sweep old rows: grant it cuebox_retention, "
                                   "or let another worker do it");
        }
        catch (const std::exception& error) {
            note_trouble(company_->log, *company_->trouble, "sweeper", error);
        }
    }
}

}

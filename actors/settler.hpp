#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/self.hpp>

#include <deque>
#include <map>

namespace cuebox::actors {

// Writes outcomes of leased rows, and claims new ones along with them: whatever has come in while
// one statement ran goes into the next, so it is one at a time when idle and hundreds under load.
// An outcome that cannot be written is kept until it can.
class settler
{
public:
    using messages = settler_messages;
    static constexpr std::string_view kind = "settler";

    settler(company_ptr company, std::size_t index);

    awaitable<void> run(self<messages>& me);

private:
    void take(messages::any& message);
    bool has_work() const noexcept;
    awaitable<void> gather(self<messages>& me);
    awaitable<void> flush(self<messages>& me);
    awaitable<void> exchange(self<messages>& me);
    awaitable<void> mark();
    void tell_lost(const std::vector<outbox::relay::lease>& held,
                   const std::vector<pg::uuid>& lost);
    awaitable<void> vet(std::vector<held_row>& rows);
    void pass_on(claimed answer);
    void give_back(const std::vector<held_row>& rows);
    void conclude(std::size_t count, const std::vector<pg::uuid>& lost);

    company_ptr company_;
    std::size_t index_;
    // What an outcome is about, and what it views.
    struct subject
    {
        outbox::claimed_row_ptr row{};
        std::shared_ptr<const handling::handler_set> handlers{};
    };
    // To be written, and the subject of each; a statement takes the first of them, and they go when
    // it has been answered.
    std::vector<outbox::settlement> outcomes_;
    std::vector<subject> subjects_;
    std::optional<outbox::claim_request> wanted_;
    std::optional<std::vector<outbox::relay::lease>> leases_;
    // The rows that run, by whom: 0 is the workers, then the lanes.
    std::map<std::size_t, std::vector<pg::uuid>> running_;
    bool running_changed_ = false;
    bool confirm_running_ = false;
    std::vector<reply_to<void>> marked_lanes_;
    bool floor_wanted_ = false;
    bool failed_ = false;
    // The claim has let outcomes go first.
    bool claim_waited_ = false;
};

}

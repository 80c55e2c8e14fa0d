#pragma once

#include <cuebox/actors/flow.hpp>
#include <cuebox/actors/hand.hpp>
#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/self.hpp>

#include <set>
#include <vector>

namespace cuebox::actors {

// Decides when to claim, and how much: when woken, due or polled, or when there is more and room
// for it. It never waits for the database itself: settlers and lanes claim at its word, and answer.
class claimer
{
public:
    using messages = claimer_messages;
    static constexpr std::string_view kind = "claimer";

    explicit claimer(company_ptr company);

    awaitable<void> run(self<messages>& me);

private:
    void react(self<messages>& me, messages::any& message);
    void take(self<messages>& me, claimed& got);
    void reach(self<messages>& me, const lane_reached& locked);
    void finish(self<messages>& me, const lane_done& done);
    void release_worker(self<messages>& me, const worker_idle& idle);
    void lose(self<messages>& me, const leases_lost& lost);
    void wake_flows();
    void set_line(self<messages>& me, const line_state& state);
    void seat(const crew_present& crew);
    void dispatch(self<messages>& me);
    void dispatch_carefully(self<messages>& me);
    bool start_next(self<messages>& me);
    bool careful(self<messages>& me) const { return me.now() < careful_until_; }
    void pump(self<messages>& me);
    bool may_look(time_point now);
    void claim_leased(self<messages>& me);
    void claim_locked(self<messages>& me);
    void arm(self<messages>& me);
    void keep_floor(self<messages>& me);
    void renew_leases();
    void mark(self<messages>& me);
    void notice_channel(const std::string& channel);
    void give_back(const held_row& held);
    std::size_t room() const noexcept;
    claimer_load load() const;

    company_ptr company_;
    flow leased_;
    flow locked_;
    std::shared_ptr<hand> hand_ = std::make_shared<hand>();
    std::vector<address<worker_messages>> workers_;
    std::vector<bool> busy_;        // Of the workers.
    std::vector<std::size_t> idle_; // Those that may be given work.
    std::size_t at_work_ = 0;
    // Rows that claims under way may bring, by settler. An answer may be to a claim of an earlier
    // life, so this is set, never summed.
    std::vector<std::size_t> asked_for_;
    std::set<std::string> channels_;
    bool started_ = false;
    time_point careful_until_{};
    // The row that is being named to the database, or has been, before its handler runs.
    std::optional<pg::uuid> naming_;
    bool named_ = false;
    bool polling_ = false;
    std::uint64_t poll_ = 0;
    std::uint64_t again_ = 0;
    duration again_at_{};
    bool marking_ = false; // A mark_due is on its way.
    bool floor_timer_ = false;
    bool floor_due_ = true;
    bool floor_known_ = false;
    bool floor_asking_ = false;
    time_point floor_asked_{};
    // Since when a look at everything waits for the rows in hand.
    std::optional<time_point> look_waits_{};
};

}

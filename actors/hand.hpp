#pragma once

#include <cuebox/actors/messages.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <utility>
#include <vector>

namespace cuebox::actors {

// The leased rows in this process's hands: which of them wait, which run and where, and how fast
// the batches they came in are worked off. It knows no mailbox and no clock: `now` is given. It is
// the claimer's, who lends it to the workers, all on one loop.
class hand
{
public:
    // Rows of one claim. Those that are in hand already come back because their lease ran out
    // unnoticed: gives the workers that still run one of these, to be told that they lost it. Such
    // a row has its turn when that has ended.
    struct lost_run
    {
        pg::uuid row{};
        pg::uuid token{};
        std::size_t worker = 0;
    };
    std::vector<lost_run> add(std::vector<held_row> rows, time_point now);

    std::size_t size() const noexcept { return rows_.size(); }
    std::size_t waiting() const noexcept { return waiting_.size(); }
    std::size_t running() const noexcept { return rows_.size() - waiting_.size(); }

    // The next one in line, which must be there; and that it runs from now on.
    const held_row& next() const { return places_[waiting_.front()].held; }
    void start_next(std::size_t worker, time_point now);

    // Workers below this number go on by themselves; at first none.
    void let_go_on(std::size_t workers) noexcept { may_go_on_ = workers; }
    // Such a worker is through with a row: gives the next one in line, which it runs from now on.
    // Nothing when none waits, or it may not; then the row is still to be dropped.
    std::optional<held_row> go_on(const pg::uuid& done, std::size_t worker, time_point now);

    // How long a batch took, once the last of its rows is out of hand.
    struct pace
    {
        std::size_t rows = 0;
        duration took{};
    };
    // Whether that worker runs that row; then that it no longer does.
    bool runs_at(const pg::uuid& row, std::size_t worker) const;
    std::optional<pace> drop(const pg::uuid& row, time_point now);
    // Whether somebody went on, and the claimer has yet to be told: once until it has looked.
    bool take_news() noexcept { return !std::exchange(told_, true); }
    // Of the batches whose last row went out of hand when its worker went on: the claimer looks.
    std::vector<pace> take_paces()
    {
        told_ = false;
        return std::exchange(paces_, {});
    }
    // The lease is lost: the worker to be told, if the row runs; one that waits is dropped. Of a
    // row that is held under a newer one nothing is lost.
    std::optional<std::size_t> lose(const outbox::relay::lease& lost, time_point now);

    std::vector<outbox::relay::lease> leases() const;
    // Those that have run for so long. None when all of them were given before.
    std::vector<pg::uuid> take_long_running(duration at_least, time_point now);
    // What was not started; forgotten here.
    std::vector<held_row> take_waiting();

private:
    struct batch
    {
        std::size_t rows = 0;
        std::size_t left = 0;
        time_point began{};
    };
    struct entry
    {
        // Of one that went on to a worker by itself, all but its token has gone along.
        held_row held{};
        std::list<batch>::iterator of{};
        std::optional<std::size_t> worker{};
        time_point started{};
        bool given = false;
        // The same row, claimed anew while its handler still runs on a lease that is lost.
        std::optional<held_row> again{};
    };
    using place = std::uint32_t;
    using index = boost::unordered_flat_map<pg::uuid, place>;

    place settle_in(held_row row, std::list<batch>::iterator of);
    std::optional<pace> drop_at(index::iterator found, time_point now);

    // Rows come and go too fast for an allocation each, or for more than one look at the index:
    // they stay in their places, which are taken again.
    std::deque<entry> places_;
    std::vector<place> free_;
    index rows_;
    std::deque<place> waiting_;
    std::list<batch> batches_;
    std::size_t may_go_on_ = 0;
    bool told_ = false;
    std::vector<pace> paces_;
};

}

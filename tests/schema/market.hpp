#pragma once

#include "outbox.hpp"

#include <array>
#include <random>
#include <vector>

namespace cuebox::schema::test {

// Producers and claimers that do at random what theirs do, each in a session of its own, while the
// floor rises and time goes by. It keeps its own account of what was committed and what delivered.
class market
{
public:
    explicit market(unsigned seed);

    void step();
    // Producers end what they have open; then claimers work, from the floor, until nothing is
    // found.
    void close();

    const std::vector<int>& committed() const { return committed_; }
    const std::vector<int>& delivered() const { return delivered_; }
    std::string unsettled()
    {
        return main_.ask("select string_agg(t.n(id) || ' ' || status, ', ') from core.outbox "
                         "where status <> 'delivered'");
    }

private:
    struct producer
    {
        session link;
        std::vector<int> written{};
        bool open = false;
    };
    struct claimer
    {
        session link;
        std::string number;
        int token = 0;
        std::vector<int> held{};
        std::vector<int> settled{}; // In a transaction that is still open.
        bool open = false;
    };

    bool chance(int percent);
    int between(int low, int high);

    void produce(producer& by, int ends);
    void finish(producer& by, bool commit);
    void work(claimer& by);
    void lease(claimer& by, bool full);
    void settle(claimer& by);
    void lock(claimer& by);
    void finish(claimer& by, bool commit);
    void time_goes_by();
    void replay();

    outbox main_;
    std::mt19937 dice_;
    int rows_ = 0;
    int tokens_ = 0;
    std::array<producer, 2> producers_{producer{main_.open()}, producer{main_.open()}};
    std::array<claimer, 2> claimers_{claimer{main_.open(), "1"}, claimer{main_.open(), "2"}};
    std::vector<int> committed_;
    std::vector<int> delivered_;
};

}

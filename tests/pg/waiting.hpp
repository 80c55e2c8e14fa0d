#pragma once

#include <atomic>
#include <chrono>
#include <memory>

namespace cuebox::pg::test {

// A door that blocking calls stand before until the test opens it. Shared with their threads, which
// nobody joins.
class door
{
public:
    door() : open_(std::make_shared<std::atomic<bool>>(false)) {}
    ~door() { open(); }
    door(const door&) = delete;
    door& operator=(const door&) = delete;

    void open()
    {
        *open_ = true;
        open_->notify_all();
    }

    // For a call: blocks until the door is open.
    auto pass() const
    {
        return [shared = open_] { shared->wait(false); };
    }

private:
    std::shared_ptr<std::atomic<bool>> open_;
};

// A count that threads add to and the test waits for.
class tally
{
public:
    void add()
    {
        ++*count_;
        count_->notify_all();
    }
    int count() const { return *count_; }
    // Until it has got so far. If it never does the test's own time limit ends it.
    void wait_for(int wanted) const
    {
        for (int now = *count_; now < wanted; now = *count_)
            count_->wait(now);
    }

private:
    std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
};

}

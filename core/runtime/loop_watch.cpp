#include <cuebox/runtime/loop_watch.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace cuebox {

namespace {

using steady = std::chrono::steady_clock;

}

// One loop that is watched. A call goes through its executor and is answered when that turns; the
// next goes out when the one before was answered.
struct loop_watch::post : std::enable_shared_from_this<post>
{
    post(const loop& whom_, listener told_, duration limit_)
        : whom(whom_),
          told(std::move(told_)),
          limit(limit_)
    {}

    void look(steady::time_point now)
    {
        if (!called_at) {
            call(now);
            return;
        }
        const bool turns = answered.load(std::memory_order_acquire);
        const duration lasted = now - *called_at;
        if (!turns && lasted >= limit) {
            // Whose turn it is cannot change while it does not end.
            known = {.lasted = lasted, .by = whom.at_work(), .over = false};
            told(*known);
        }
        if (!turns)
            return;
        if (known) {
            known->lasted = lasted;
            known->over = true;
            told(*known);
            known.reset();
        }
        call(now);
    }

    void call(steady::time_point now)
    {
        called_at = now;
        answered.store(false, std::memory_order_relaxed);
        asio::post(whom.executor(), [self = shared_from_this()] {
            self->answered.store(true, std::memory_order_release);
        });
    }

    const loop& whom;
    listener told;
    const duration limit;
    std::optional<steady::time_point> called_at;
    std::atomic<bool> answered{false};
    std::optional<stall> known;
};

class loop_watch::watchdog
{
public:
    watchdog() : thread_([this] { run(); }) {}
    ~watchdog()
    {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    watchdog(const watchdog&) = delete;
    watchdog& operator=(const watchdog&) = delete;

    // The one of this process, there for as long as somebody has it.
    static std::shared_ptr<watchdog> shared()
    {
        static std::mutex making;
        static std::weak_ptr<watchdog> known;
        const std::lock_guard lock(making);
        auto found = known.lock();
        if (!found)
            known = found = std::make_shared<watchdog>();
        return found;
    }

    void add(std::shared_ptr<post> one)
    {
        const std::lock_guard lock(mutex_);
        posts_.push_back(std::move(one));
        changed_.notify_all();
    }
    void remove(const std::shared_ptr<post>& one)
    {
        const std::lock_guard lock(mutex_);
        std::erase(posts_, one);
    }

private:
    // The lock is held while posts are looked at: who is removed is not told of any more.
    void run()
    {
        sigset_t all; // Signals are for the program's own threads.
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);

        std::unique_lock lock(mutex_);
        while (!ending_) {
            const auto began = steady::now();
            for (const auto& each : posts_)
                each->look(began);
            const duration pause = shortest();
            changed_.wait_for(lock, pause, [this] { return ending_; });
            forgive(steady::now() - began - pause, pause);
        }
    }

    duration shortest() const
    {
        duration found = std::chrono::seconds(1);
        for (const auto& each : posts_)
            found = std::min(found, each->limit / 2);
        return found;
    }

    // Had this thread no processor either, nobody is to blame for that time.
    void forgive(duration late, duration pause)
    {
        if (late < pause)
            return;
        for (const auto& each : posts_)
            if (each->called_at)
                *each->called_at += late;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::shared_ptr<post>> posts_;
    bool ending_ = false;
    std::thread thread_;
};

loop_watch::loop_watch(const loop& whom, listener told, duration limit)
    : by_(watchdog::shared()),
      post_(std::make_shared<post>(whom, std::move(told), limit))
{
    by_->add(post_);
}

loop_watch::~loop_watch()
{
    by_->remove(post_);
}

}

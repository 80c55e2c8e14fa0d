#include <cuebox/pg/canceller.hpp>

#include <libpq-fe.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace cuebox::pg {

struct canceller::handle
{
    explicit handle(pg_conn* connection) : request(PQgetCancel(connection)) {}
    ~handle() { PQfreeCancel(request); }
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;

    static void send(const void* self);

    PGcancel* request;
};

namespace {

using work = std::shared_ptr<const void>;

// libpq 15 can only cancel by blocking, so one thread of the process does, when there is need. It
// may hang on a host that has gone, and must then not hold up the end of the process: it is never
// joined, and what it uses is never destroyed.
class cancel_thread
{
public:
    using job = void (*)(const void*);

    cancel_thread() { std::thread(&cancel_thread::run, this).detach(); }

    void add(work what, job how, clock::duration later)
    {
        const std::lock_guard lock(mutex_);
        if (queue_.size() < queue_max)
            queue_.emplace(clock::now() + later, std::pair(std::move(what), how));
        ready_.notify_one();
    }

private:
    static constexpr std::size_t queue_max = 1'000; // More than that wait behind a dead host.

    void run()
    {
        std::unique_lock lock(mutex_);
        for (;;) {
            if (queue_.empty()) {
                ready_.wait(lock);
                continue;
            }
            if (const auto due = queue_.begin()->first; due > clock::now()) {
                ready_.wait_until(lock, due);
                continue;
            }
            const auto [what, how] = std::move(queue_.begin()->second);
            queue_.erase(queue_.begin());
            lock.unlock();
            how(what.get());
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable ready_;
    std::multimap<clock::time_point, std::pair<work, job>> queue_; // By when they are due.
};

cancel_thread& the_thread()
{
    static auto& thread = *new cancel_thread;
    return thread;
}

}

canceller::canceller(pg_conn* connection) : handle_(std::make_shared<const handle>(connection)) {}

void canceller::handle::send(const void* self)
{
    char ignored[256];
    PQcancel(static_cast<const handle*>(self)->request, ignored, sizeof ignored);
}

void canceller::request() const
{
    if (handle_->request)
        the_thread().add(handle_, &handle::send, {});
}

void canceller::insist() const
{
    if (!handle_->request)
        return;
    the_thread().add(handle_, &handle::send, {});
    the_thread().add(handle_, &handle::send, std::chrono::milliseconds(500));
}

}

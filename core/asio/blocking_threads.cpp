#include <cuebox/asio/blocking_threads.hpp>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <map>
#include <mutex>
#include <thread>

namespace cuebox::detail {

namespace {

using clock = std::chrono::steady_clock;

}

struct blocking_threads::state
{
    explicit state(limits given) : bounds(given) {}

    static void start_another(const std::shared_ptr<state>& self);
    static void work(std::shared_ptr<state> self);

    limits bounds;
    std::mutex mutex;
    std::condition_variable ready;
    std::condition_variable idle;
    std::multimap<clock::time_point, job> queue; // By when they are due.
    std::size_t threads = 0;
    std::size_t busy = 0; // Those inside a job.
    std::size_t dropped = 0;
};

void blocking_threads::state::start_another(const std::shared_ptr<state>& self)
{
    try {
        std::thread(&state::work, self).detach();
        ++self->threads;
    }
    catch (const std::exception&) {
        // The system has none to give: those that run get to the job in the end.
        return;
    }
}

void blocking_threads::state::work(std::shared_ptr<state> self)
{
    sigset_t all; // Signals are for the program's own threads.
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);

    std::unique_lock lock(self->mutex);
    while (!self->queue.empty()) {
        if (const auto due = self->queue.begin()->first; due > clock::now()) {
            self->ready.wait_until(lock, due);
            continue;
        }
        ++self->busy;
        {
            const auto next = self->queue.extract(self->queue.begin());
            lock.unlock();
            next.mapped()();
        } // Destroyed outside the lock: what it owns is foreign code.
        lock.lock();
        --self->busy;
        if (self->busy == 0 && self->queue.empty())
            self->idle.notify_all();
    }
    --self->threads;
}

blocking_threads::blocking_threads(limits given) : state_(std::make_shared<state>(given)) {}

bool blocking_threads::run(job what, clock::duration later) noexcept
{
    const std::lock_guard lock(state_->mutex);
    try {
        // One for every job, so that none waits behind one that hangs, up to the limit.
        const std::size_t wanted = state_->busy + state_->queue.size() + 1;
        if (state_->threads < std::min(wanted, state_->bounds.threads))
            state::start_another(state_);
        if (state_->threads > 0 && state_->queue.size() < state_->bounds.waiting) {
            state_->queue.emplace(clock::now() + later, std::move(what));
            state_->ready.notify_one();
            return true;
        }
    }
    catch (const std::exception&) {
        // Without memory for it, it is dropped as well.
    }
    ++state_->dropped;
    return false;
}

bool blocking_threads::wait_until_idle(clock::duration longest) const
{
    std::unique_lock lock(state_->mutex);
    return state_->idle.wait_for(lock, longest,
                                 [this] { return state_->busy == 0 && state_->queue.empty(); });
}

std::size_t blocking_threads::threads() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->threads;
}

std::size_t blocking_threads::dropped() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->dropped;
}

}

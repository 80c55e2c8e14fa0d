#pragma once

#include <cuebox/runtime/directory.hpp>

#include <atomic>
#include <memory>
#include <string_view>

namespace cuebox {

// A whole tree of actors: its root is a supervisor.
//
//     cuebox::tree app{loop, "app"};
//     auto sink = app.add<printer>("sink");
//     app.add<worker>("worker", sink);
//     app.start();
//     …
//     app.stop();
//     co_await app.ended();
//
// The tree must have ended, or never started, when it is destroyed.
class tree : public supervisor
{
public:
    tree(loop& home, const std::string& name, const supervisor_options& options = {});
    ~tree();
    tree(const tree&) = delete;
    tree& operator=(const tree&) = delete;

    // Where what happens in the tree is reported; stderr unless set. Before start.
    void report_to(reporter reporter) { cell_->report_to(std::move(reporter)); }

    // Any thread. Starting or stopping twice is fine.
    void start();
    void stop();

    // co_await it: how the tree ended. A root that has restarted too often ends as failed.
    awaitable<exit_reason> ended() const;

    // Blocks the calling thread until the tree has ended; not for a thread that runs one of its
    // loops.
    exit_reason wait() const;

    bool has_ended() const noexcept { return cell_->state() == actor_state::ended; }

    // Any thread, at any time.
    cuebox::snapshot snapshot() const { return cell_->take_snapshot(); }

    // The address of the actor at `path`, as path() gives it: "app/pool/worker-1". Throws
    // std::invalid_argument when there is none, or when it takes other messages.
    template <class Set>
    address<Set> find(std::string_view path) const
    {
        return names().find<Set>(path);
    }
    directory names() const noexcept { return directory(*cell_); }

private:
    struct ending;
    std::shared_ptr<ending> ending_;
    std::atomic<bool> started_{false};
};

}

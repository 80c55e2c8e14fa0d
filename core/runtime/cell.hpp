#pragma once

#include <cuebox/runtime/child_options.hpp>
#include <cuebox/runtime/exit.hpp>
#include <cuebox/runtime/loop.hpp>
#include <cuebox/runtime/report.hpp>
#include <cuebox/runtime/short_lock.hpp>
#include <cuebox/runtime/snapshot.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

namespace cuebox::detail {

class cell;
using cell_ptr = boost::intrusive_ptr<cell>;

// What a cell learns about another: a child of its own, or an actor it watches.
struct note
{
    enum class kind
    {
        child_started,
        child_ended,
        watched_ended
    };

    kind what;
    cell_ptr who;
    exit_reason reason;
};

// The part of an actor that stays when the actor is restarted: its name, its place in the tree, its
// signals. Addresses point here. A supervisor is a cell too.
//
// Signals (begin, stop, cancel, notes) arrive from any thread, are never refused, and are handled
// on the cell's own loop: they are the system lane that a full mailbox cannot block.
class cell
{
public:
    cell(const std::string& name, cell* parent, loop& home, child_options options);
    cell(const cell&) = delete;
    cell& operator=(const cell&) = delete;

    // An address may outlive the tree above its actor, so a cell knows its whole path by itself.
    const std::string& path() const noexcept { return path_; }
    std::string_view name() const noexcept { return std::string_view(path_).substr(name_at_); }
    loop& home() const noexcept { return home_; }
    const child_options& options() const noexcept { return options_; }
    cell* parent() const noexcept { return parent_; }
    actor_state state() const noexcept { return state_.load(std::memory_order_acquire); }

    // Which closed set of messages this cell takes: what a typed look-up by name checks.
    virtual const std::type_info& message_set() const noexcept = 0;

    snapshot take_snapshot() const;

    // For the parent, on the parent's loop.
    void launch();
    // For good: it will not live again, nor will what is below it.
    void request_stop(bool for_good) { raise(signal_stop | (for_good ? signal_for_good : 0)); }
    void request_cancel() { raise(signal_cancel); }

    // For the parent, between two lives. After close there is no other life.
    virtual void prepare_restart();
    virtual void close(const exit_reason& reason);
    exit_reason last_end() const; // how its latest life ended

    // Any thread.
    void tell(note::kind what, cell& who, const exit_reason& reason);
    void add_watcher(cell& watcher);

    friend void intrusive_ptr_add_ref(cell* each) noexcept
    {
        each->references_.fetch_add(1, std::memory_order_relaxed);
    }
    friend void intrusive_ptr_release(cell* each) noexcept
    {
        if (each->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete each;
    }

    // The parent's bookkeeping: which of its children this is, and its deadline on the parent's
    // loop.
    std::size_t index = 0;

protected:
    virtual ~cell();

    // These run on the cell's own loop.
    virtual void begin() = 0;
    virtual void stop_requested(bool for_good) = 0;
    virtual void cancel_requested() = 0;
    virtual void noted(note& note) = 0;

    // A life has ended: tells the parent. The cell does nothing more until its parent acts.
    void life_ended(const exit_reason& reason);
    void life_started();

    void set_state(actor_state state) noexcept { state_.store(state, std::memory_order_release); }

    // Stopping a child: asked, then cancelled at its deadline, then reported stuck and left alone.
    void stop_child(cell& child);
    void await_start_of(cell& child);
    void child_settled(cell& child) noexcept;
    virtual void child_stuck(cell&) {}
    virtual bool awaits_starts() const noexcept { return false; }
    // Do children that it stops now live again? Those of an actor never do.
    virtual bool stops_for_good() const noexcept { return true; }

    void make_report(report::kind what, const cell& about, std::string detail) const;

    virtual std::string_view kind() const noexcept { return "actor"; }
    virtual std::pair<std::size_t, std::size_t> mailbox_depth_and_peak() const { return {0, 0}; }

    void adopt(cell_ptr child);
    void disown(cell& child);
    const std::vector<cell_ptr>& children() const noexcept { return children_; }

    reporter reporter_;

private:
    static constexpr unsigned signal_begin = 1;
    static constexpr unsigned signal_stop = 2;
    static constexpr unsigned signal_cancel = 4;
    static constexpr unsigned signal_note = 8;
    static constexpr unsigned signal_queued = 16;
    static constexpr unsigned signal_for_good = 32;

    enum class patience
    {
        none,
        to_start,
        to_stop,
        to_be_cancelled
    };

    struct signal_node : ready_node
    {
        explicit signal_node(cell& owner_) noexcept;
        cell& owner;
    };

    struct deadline_node : timer_node
    {
        explicit deadline_node(cell& child_) noexcept;
        cell& child;
        patience waiting = patience::none;
    };

    void raise(unsigned signal);
    void handle_signals();
    void handle_notes();
    void deadline_passed(cell& child);
    void wait_for(cell& child, patience what, duration at_most);
    const reporter& find_reporter() const noexcept;

    const std::string path_;
    const std::size_t name_at_;
    cell* const parent_;
    loop& home_;
    const child_options options_;

    std::atomic<unsigned> references_{0};
    std::atomic<unsigned> signals_{0};
    std::atomic<actor_state> state_{actor_state::waiting};
    std::atomic<std::uint64_t> lives_{0};
    std::atomic<time_point> started_at_{};
    signal_node signal_node_{*this};
    deadline_node deadline_{*this};

    mutable short_lock lock_; // guards what follows
    std::vector<note> notes_;
    std::vector<cell_ptr> watchers_;
    std::vector<cell_ptr> children_;
    std::string last_failure_;
    exit_reason end_;
    bool closed_ = false;
};

}

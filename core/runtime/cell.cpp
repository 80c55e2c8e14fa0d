#include <cuebox/runtime/cell.hpp>
#include <cuebox/runtime/contract.hpp>

#include <algorithm>
#include <mutex>

namespace cuebox::detail {

cell::signal_node::signal_node(cell& owner_) noexcept
    : ready_node([](ready_node& node) { static_cast<signal_node&>(node).owner.handle_signals(); }),
      owner(owner_)
{}

cell::deadline_node::deadline_node(cell& child_) noexcept
    : timer_node([](timer_node& node) {
          cell& late = static_cast<deadline_node&>(node).child;
          late.parent()->deadline_passed(late);
      }),
      child(child_)
{}

cell::cell(const std::string& name, cell* parent, loop& home, child_options options)
    : path_(parent ? parent->path() + '/' + name : name),
      name_at_(path_.size() - name.size()),
      parent_(parent),
      home_(home),
      options_(options)
{}

cell::~cell() = default;

// A stop or cancel that the life before did not live to see is not meant for the next one. Only the
// parent raises these; the root has none and is launched once.
void cell::launch()
{
    if (parent_)
        signals_.fetch_and(~(signal_stop | signal_cancel | signal_for_good),
                           std::memory_order_acq_rel);
    raise(signal_begin);
}

// A node in a loop's list must not outlive its cell, so a raised signal holds a reference. A cell
// that has ended for good asks its loop for nothing: the loop may run no more.
void cell::raise(unsigned signal)
{
    if (state() == actor_state::ended)
        return;
    if (signals_.fetch_or(signal | signal_queued, std::memory_order_acq_rel) & signal_queued)
        return;
    intrusive_ptr_add_ref(this);
    home_.push(signal_node_);
}

void cell::handle_signals()
{
    const cell_ptr keep(this, false);
    const unsigned signals = signals_.exchange(0, std::memory_order_acq_rel);
    if (signals & signal_begin) {
        lives_.fetch_add(1, std::memory_order_relaxed);
        started_at_.store(home_.now(), std::memory_order_relaxed);
        set_state(actor_state::starting);
        begin();
    }
    if (signals & signal_note)
        handle_notes();
    if (signals & signal_stop) {
        if (state() == actor_state::starting || state() == actor_state::running)
            set_state(actor_state::stopping);
        stop_requested((signals & signal_for_good) != 0);
    }
    if (signals & signal_cancel)
        cancel_requested();
}

void cell::handle_notes()
{
    std::vector<note> notes;
    {
        const std::lock_guard guard(lock_);
        notes.swap(notes_);
    }
    for (note& each : notes)
        noted(each);
    notes.clear();

    // Gives the storage back, so that a steady stream of notes does not allocate.
    const std::lock_guard guard(lock_);
    if (notes_.empty())
        notes_.swap(notes);
}

void cell::tell(note::kind what, cell& who, const exit_reason& reason)
{
    if (state() == actor_state::ended)
        return;
    note news{what, &who, reason};
    {
        const std::lock_guard guard(lock_);
        notes_.push_back(std::move(news));
    }
    raise(signal_note);
}

void cell::life_started()
{
    if (state() == actor_state::starting)
        set_state(actor_state::running);
    if (parent_ && parent_->awaits_starts())
        parent_->tell(note::kind::child_started, *this, {});
}

void cell::life_ended(const exit_reason& reason)
{
    std::string failure = reason.kind == exit_kind::failed ? reason.what() : std::string();
    exit_reason end = reason;
    {
        const std::lock_guard guard(lock_);
        std::swap(end_, end); // the one before is destroyed outside the lock
        if (reason.kind == exit_kind::failed)
            last_failure_.swap(failure);
    }
    if (parent_)
        parent_->tell(note::kind::child_ended, *this, reason);
    else
        close(reason);
}

void cell::prepare_restart()
{
    set_state(actor_state::restarting);
}

void cell::close(const exit_reason& reason)
{
    std::vector<cell_ptr> watchers;
    {
        const std::lock_guard guard(lock_);
        if (std::exchange(closed_, true))
            return;
        end_ = reason;
        watchers.swap(watchers_);
    }
    set_state(actor_state::ended);
    for (const cell_ptr& each : watchers)
        each->tell(note::kind::watched_ended, *this, reason);
}

exit_reason cell::last_end() const
{
    const std::lock_guard guard(lock_);
    return end_;
}

void cell::add_watcher(cell& watcher)
{
    std::vector<cell_ptr> ended; // those who watched and are gone: let go outside the lock
    {
        const std::lock_guard guard(lock_);
        if (!closed_) {
            const auto gone =
                std::partition(watchers_.begin(), watchers_.end(), [](const cell_ptr& each) {
                    return each->state() != actor_state::ended;
                });
            ended.assign(std::make_move_iterator(gone), std::make_move_iterator(watchers_.end()));
            watchers_.erase(gone, watchers_.end());
            // Once is enough: an actor watches anew in each of its lives.
            if (std::find(watchers_.begin(), watchers_.end(), &watcher) == watchers_.end())
                watchers_.emplace_back(&watcher);
            return;
        }
    }
    watcher.tell(note::kind::watched_ended, *this, end_);
}

void cell::adopt(cell_ptr child)
{
    const std::lock_guard guard(lock_);
    child->index = children_.size();
    children_.push_back(std::move(child));
}

void cell::disown(cell& child)
{
    const cell_ptr keep(&child);
    const std::lock_guard guard(lock_);
    CUEBOX_ASSERT(child.index < children_.size() && children_[child.index] == keep,
                  "a cell disowned a child that is not its own");
    children_[child.index].swap(children_.back());
    children_[child.index]->index = child.index;
    children_.pop_back();
}

void cell::await_start_of(cell& child)
{
    wait_for(child, patience::to_start, child.options().start_deadline);
}

void cell::stop_child(cell& child)
{
    wait_for(child, patience::to_stop, child.options().stop_deadline);
    child.request_stop(stops_for_good());
}

void cell::child_settled(cell& child) noexcept
{
    home_.disarm(child.deadline_);
    child.deadline_.waiting = patience::none;
}

void cell::wait_for(cell& child, patience what, duration at_most)
{
    home_.disarm(child.deadline_);
    child.deadline_.waiting = what;
    if (at_most != duration::max())
        home_.arm(child.deadline_, home_.after(at_most));
}

void cell::deadline_passed(cell& child)
{
    switch (child.deadline_.waiting) {
    case patience::none:
        return;
    case patience::to_start:
        make_report(report::kind::overdue, child,
                    "did not start by its deadline and was cancelled");
        child.request_cancel();
        wait_for(child, patience::to_be_cancelled, child.options().stop_deadline);
        return;
    case patience::to_stop:
        make_report(report::kind::overdue, child, "did not stop by its deadline and was cancelled");
        child.request_cancel();
        wait_for(child, patience::to_be_cancelled, child.options().stop_deadline);
        return;
    case patience::to_be_cancelled:
        make_report(report::kind::stuck, child,
                    "was cancelled and still runs; waiting until it ends");
        child_stuck(child);
        return;
    }
}

const reporter& cell::find_reporter() const noexcept
{
    static const reporter fallback = report_to_stderr;
    for (const cell* each = this; each; each = each->parent_)
        if (each->reporter_)
            return each->reporter_;
    return fallback;
}

void cell::make_report(report::kind what, const cell& about, std::string detail) const
{
    find_reporter()(report{what, about.path(), std::move(detail)});
}

snapshot cell::take_snapshot() const
{
    snapshot taken;
    taken.name = name();
    taken.kind = kind();
    taken.state = state();
    const std::uint64_t lives = lives_.load(std::memory_order_relaxed);
    taken.restarts = lives > 0 ? lives - 1 : 0;
    std::tie(taken.mailbox_depth, taken.mailbox_peak) = mailbox_depth_and_peak();
    if (taken.state == actor_state::starting || taken.state == actor_state::running ||
        taken.state == actor_state::stopping)
        taken.uptime = home_.now() - started_at_.load(std::memory_order_relaxed);

    std::vector<cell_ptr> children;
    {
        const std::lock_guard guard(lock_);
        taken.last_failure = last_failure_;
        children = children_;
    }
    for (const cell_ptr& each : children)
        taken.children.push_back(each->take_snapshot());
    return taken;
}

}

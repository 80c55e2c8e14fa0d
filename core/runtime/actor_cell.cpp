#include <cuebox/runtime/actor_cell.hpp>
#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/contract.hpp>
#include <cuebox/runtime/messages.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>

namespace cuebox::detail {

namespace {

exit_reason reason_of(std::exception_ptr error, bool stop_requested, bool cancelled)
{
    if (!error)
        return {.kind = stop_requested ? exit_kind::stopped : exit_kind::finished};
    if (cancelled && is_cancellation(error)) {
        if (stop_requested)
            return {.kind = exit_kind::cancelled};
        error = std::make_exception_ptr(std::runtime_error("did not start by its deadline"));
    }
    return exit_reason::failed(std::move(error));
}

}

void actor_cell::begin()
{
    stop_requested_ = false;
    cancelled_ = false;
    alive_ = true;
    child_failure_ = nullptr;
    life_begins();
    std::optional<awaitable<void>> life;
    try {
        life.emplace(make_life());
    }
    catch (...) {
        life_over(std::current_exception());
        return;
    }
    if (!starts_by_itself())
        life_started();
    asio::co_spawn(
        home().executor(), live(std::move(*life)),
        asio::bind_cancellation_slot(cancellation_.slot(), [this](std::exception_ptr error) {
            life_over(std::move(error));
        }));
}

awaitable<void> actor_cell::live(awaitable<void> life)
{
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    main_slot_ = cancellation.slot();
    co_await std::move(life);
}

void actor_cell::stop_requested(bool)
{
    if (!alive_ || std::exchange(stop_requested_, true))
        return;
    for (sleep_op* each : std::exchange(sleeping_, {}))
        each->end(sleep_op::ending::stopped);
    wake_reader();
}

void actor_cell::cancel_requested()
{
    if (!alive_)
        return;
    cancelled_ = true;
    cancellation_.emit(asio::cancellation_type::terminal);
    cancel_reader();
}

void actor_cell::life_over(std::exception_ptr error)
{
    ending_ = reason_of(std::move(error), stop_requested_, cancelled_);
    over_ = true;
    for (auto& each : alarms_)
        home().disarm(*each);
    alarms_.clear();
    bury();
    if (children().empty())
        finish_life();
    else
        for (const cell_ptr& each : children())
            stop_child(*each);
}

void actor_cell::finish_life()
{
    alive_ = false;
    over_ = false;
    life_ends();
    life_ended(ending_);
}

void actor_cell::spawn(cell_ptr child)
{
    cell& launched = *child;
    adopt(std::move(child));
    launched.launch();
}

void actor_cell::noted(note& news)
{
    switch (news.what) {
    case note::kind::child_started:
        return;
    case note::kind::child_ended: {
        child_settled(*news.who);
        disown(*news.who);
        news.who->close(news.reason);
        const bool failed = news.reason.kind == exit_kind::failed;
        if (failed)
            make_report(report::kind::failed, *news.who, news.reason.what());
        std::exception_ptr error = news.reason.error;
        if (!deliver({news.who, std::move(news.reason)}) && failed && !child_failure_) {
            child_failure_ = std::move(error);
            wake_reader();
        }
        if (over_ && children().empty())
            finish_life();
        return;
    }
    case note::kind::watched_ended:
        if (alive_)
            (void)deliver({news.who, std::move(news.reason)});
        return;
    }
}

actor_cell::alarm::alarm(actor_cell& owner_) noexcept
    : timer_node([](timer_node& node) {
          alarm& due = static_cast<alarm&>(node);
          due.owner.alarm_due(due);
      }),
      owner(owner_)
{}

std::uint64_t actor_cell::set_alarm(std::unique_ptr<alarm> set, duration in)
{
    set->id = ++alarms_set_;
    home().arm(*set, home().after(in));
    alarms_.push_back(std::move(set));
    return alarms_set_;
}

void actor_cell::cancel_alarm(std::uint64_t id) noexcept
{
    const auto found = std::find_if(alarms_.begin(), alarms_.end(),
                                    [id](const auto& each) { return each->id == id; });
    if (found == alarms_.end())
        return;
    home().disarm(**found);
    alarms_.erase(found);
}

void actor_cell::alarm_due(alarm& due)
{
    due.ring();
    if (due.period > duration::zero())
        home().arm(due, due.due + due.period);
    else
        cancel_alarm(due.id);
}

actor_cell::sleep_op::sleep_op(actor_cell& owner, duration at_most) noexcept
    : ready_node([](ready_node& node) { static_cast<sleep_op&>(node).resume(); }),
      timer_node([](timer_node& node) { static_cast<sleep_op&>(node).end(ending::elapsed); }),
      owner_(owner),
      at_most_(at_most)
{}

void actor_cell::sleep_op::begin()
{
    owner_.sleeping_.push_back(this);
    if (owner_.stopping())
        end(ending::stopped);
    else
        owner_.home().arm(*this, owner_.home().after(at_most_));
}

// The first ending counts; the coroutine is resumed in a turn, never from inside whoever ended it.
void actor_cell::sleep_op::end(ending how)
{
    if (ending_ != ending::none)
        return;
    ending_ = how;
    owner_.home().disarm(*this);
    std::erase(owner_.sleeping_, this);
    owner_.home().push(*this);
}

void actor_cell::sleep_op::resume()
{
    const auto& executor = owner_.home().executor();
    if (ending_ == ending::cancelled)
        waiting_.resume_on(executor, cancelled_error(), false);
    else
        waiting_.resume_on(executor, nullptr, ending_ == ending::elapsed);
}

}

#include <cuebox/runtime/contract.hpp>
#include <cuebox/runtime/supervisor.hpp>

#include <cstdio>

namespace cuebox {

namespace detail {

supervisor_cell::pause_node::pause_node(supervisor_cell& owner_) noexcept
    : timer_node([](timer_node& node) { static_cast<pause_node&>(node).owner.proceed(); }),
      owner(owner_)
{}

supervisor_cell::supervisor_cell(const std::string& name, cell* parent, loop& home,
                                 const supervisor_options& options)
    : cell(name, parent, home, options.child),
      supervision_(options.strategy, options.intensity, options.backoff),
      intensity_(options.intensity)
{}

void supervisor_cell::add(cell_ptr child)
{
    const std::string name(child->name());
    if (name.empty() || name.find('/') != name.npos)
        throw std::invalid_argument("'" + name + "' is no name for an actor under '" + path() +
                                    "': it must not be empty or contain '/'");
    if (find(name))
        throw std::invalid_argument("'" + path() + "' already has a child named '" + name +
                                    "': give this one another name");
    if (state() != actor_state::waiting)
        throw std::logic_error("'" + path() + "' has been started: add its children before");
    supervision_.add(child->options().restart);
    adopt(std::move(child));
}

cell* supervisor_cell::find(std::string_view name) const
{
    for (const cell_ptr& each : children())
        if (each->name() == name)
            return each.get();
    return nullptr;
}

void supervisor_cell::begin()
{
    alive_ = true;
    started_ = stop_requested_ = stopped_for_good_ = false;
    work_.emplace_back(home().executor());
    for (const cell_ptr& each : children())
        if (&each->home() != &home())
            work_.emplace_back(each->home().executor());
    supervision_.reset();
    proceed();
}

void supervisor_cell::stop_requested(bool for_good)
{
    if (!alive_)
        return;
    stop_requested_ = true;
    stopped_for_good_ |= for_good;
    // Whoever waits for one that is down and will not come back must not wait for its deadline.
    if (stopped_for_good_)
        for (const cell_ptr& each : children())
            if (supervision_.is_down(each->index))
                each->close({.kind = exit_kind::stopped});
    supervision_.stop();
    proceed();
}

void supervisor_cell::child_stuck(cell& child)
{
    supervision_.stuck(child.index);
    proceed();
}

void supervisor_cell::noted(note& news)
{
    switch (news.what) {
    case note::kind::child_started:
        if (supervision_.started(news.who->index)) {
            child_settled(*news.who);
            make_report(report::kind::started, *news.who, {});
        }
        break;
    case note::kind::child_ended:
        child_settled(*news.who);
        child_ended(*news.who, news.reason);
        break;
    case note::kind::watched_ended:
        return;
    }
    proceed();
}

void supervisor_cell::child_ended(cell& child, const exit_reason& reason)
{
    const bool failed = reason.kind == exit_kind::failed;
    if (failed)
        last_cause_ = child.path() + ": " + reason.what();
    make_report(failed ? report::kind::failed : report::kind::ended, child, reason.what());
    const auto verdict =
        supervision_.ended(child.index, reason.kind, home().now(), home().jitter());
    if (stopped_for_good_)
        child.close(reason);
    if (verdict.restarts) {
        child.prepare_restart();
        char when[48];
        std::snprintf(when, sizeof when, "in %.0f ms",
                      std::chrono::duration<double, std::milli>(verdict.delay).count());
        make_report(report::kind::restarting, child, when);
    }
}

void supervisor_cell::proceed()
{
    if (!alive_)
        return;
    home().disarm(pause_);
    for (const supervisor_action& action : supervision_.next(home().now())) {
        if (const auto* start = std::get_if<start_child>(&action)) {
            await_start_of(*children()[start->child]);
            children()[start->child]->launch();
        }
        else if (const auto* stop = std::get_if<cuebox::stop_child>(&action))
            cell::stop_child(*children()[stop->child]);
        else if (const auto* close = std::get_if<close_child>(&action))
            children()[close->child]->close(children()[close->child]->last_end());
        else if (const auto* wait = std::get_if<wait_until>(&action))
            home().arm(pause_, wait->when);
        else
            life_over(std::get<finish>(action).escalate);
    }
    if (alive_ && !started_ && supervision_.all_up()) {
        started_ = true;
        life_started();
    }
}

void supervisor_cell::life_over(bool escalate)
{
    alive_ = false;
    home().disarm(pause_);
    work_.clear();
    exit_reason reason{.kind = stop_requested_ ? exit_kind::stopped : exit_kind::finished};
    if (escalate) {
        const std::string why =
            "more than " + std::to_string(intensity_.restarts) + " restarts within " +
            std::to_string(
                std::chrono::duration_cast<std::chrono::milliseconds>(intensity_.within).count()) +
            " ms; the last failure was " + last_cause_;
        make_report(report::kind::escalated, *this, why);
        if (!stop_requested_)
            reason = exit_reason::failed(std::make_exception_ptr(restarts_exhausted(why)));
    }
    life_ended(reason);
}

void supervisor_cell::prepare_restart()
{
    cell::prepare_restart();
    for (const cell_ptr& each : children())
        if (each->state() != actor_state::ended)
            each->prepare_restart();
}

void supervisor_cell::close(const exit_reason& reason)
{
    for (auto each = children().rbegin(); each != children().rend(); ++each)
        (*each)->close(reason);
    cell::close(reason);
    if (auto call = std::exchange(when_closed_, nullptr))
        call(reason);
}

}

supervisor supervisor::add_supervisor(const std::string& name, const supervisor_options& options)
{
    boost::intrusive_ptr<detail::supervisor_cell> child(new detail::supervisor_cell(
        name, cell_.get(), options.child.loop ? *options.child.loop : cell_->home(), options));
    cell_->add(child);
    return supervisor(std::move(child));
}

}

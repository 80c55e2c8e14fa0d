#pragma once

#include <cuebox/runtime/actor.hpp>
#include <cuebox/runtime/supervision.hpp>

#include <boost/asio/executor_work_guard.hpp>

#include <functional>
#include <memory>
#include <stdexcept>

namespace cuebox {

struct supervisor_options
{
    // Which children a failure takes along.
    cuebox::strategy strategy = cuebox::strategy::one_for_one;
    // How many restarts it tolerates before it escalates to its parent.
    cuebox::intensity intensity{};
    // How long it waits before a restart.
    cuebox::backoff backoff{};
    // When its own parent restarts it, and where it runs. One whose children have all ended for
    // good has finished and is left at that. It has no deadlines of its own by default: its
    // children's bound how long it takes.
    child_options child{.restart = restart::transient,
                        .start_deadline = duration::max(),
                        .stop_deadline = duration::max()};
};

namespace detail {

// Performs what `supervision` decides.
class supervisor_cell final : public cell
{
public:
    supervisor_cell(const std::string& name, cell* parent, loop& home,
                    const supervisor_options& options);

    const std::type_info& message_set() const noexcept override { return typeid(void); }

    void add(cell_ptr child);
    cell* find(std::string_view name) const;
    void report_to(reporter reporter) { reporter_ = std::move(reporter); }
    void when_closed(std::function<void(const exit_reason&)> call)
    {
        when_closed_ = std::move(call);
    }

    void prepare_restart() override;
    void close(const exit_reason& reason) override;

protected:
    void begin() override;
    void stop_requested(bool for_good) override;
    void cancel_requested() override {} // it never ignores a stop; a child of it may
    void noted(note& note) override;
    void child_stuck(cell& child) override;
    bool awaits_starts() const noexcept override { return true; }
    bool stops_for_good() const noexcept override { return stopped_for_good_; }
    std::string_view kind() const noexcept override { return "supervisor"; }

private:
    struct pause_node : timer_node
    {
        explicit pause_node(supervisor_cell& owner) noexcept;
        supervisor_cell& owner;
    };

    void proceed();
    void child_ended(cell& child, const exit_reason& reason);
    void life_over(bool escalate);

    supervision supervision_;
    const intensity intensity_;
    pause_node pause_{*this};
    bool alive_ = false;
    bool started_ = false;
    bool stop_requested_ = false;
    bool stopped_for_good_ = false;
    std::string last_cause_;
    std::function<void(const exit_reason&)> when_closed_;
    // Between two lives a child's executor may have nothing to do; it must not run dry.
    std::vector<asio::executor_work_guard<asio::any_io_executor>> work_;
};

}

// A place in the tree below which children are added before it starts. A handle: copies name the
// same.
class supervisor
{
public:
    // Adds an actor; its address is valid at once, and what is sent before it starts is kept.
    template <class Actor, class... Args>
    auto add(const std::string& name, child_options options, Args&&... args)
    {
        auto child = detail::make_actor<Actor>(name, cell_.get(), cell_->home(), options,
                                               std::forward<Args>(args)...);
        auto where = detail::access::make<typename Actor::messages>(child);
        cell_->add(std::move(child));
        return where;
    }
    template <class Actor, class... Args>
    auto add(const std::string& name, Args&&... args)
    {
        return add<Actor>(name, child_options{}, std::forward<Args>(args)...);
    }

    supervisor add_supervisor(const std::string& name, const supervisor_options& options = {});

    std::string path() const { return cell_->path(); }

    // Takes ready-made cells: how a tree is composed from a description.
    void add_cell(detail::cell_ptr child) { cell_->add(std::move(child)); }
    detail::supervisor_cell& cell() const noexcept { return *cell_; }

protected:
    explicit supervisor(boost::intrusive_ptr<detail::supervisor_cell> cell) : cell_(std::move(cell))
    {}

    boost::intrusive_ptr<detail::supervisor_cell> cell_;
};

}

#pragma once

#include <cuebox/runtime/child_options.hpp>
#include <cuebox/runtime/exit.hpp>
#include <cuebox/runtime/restart_policy.hpp>

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace cuebox {

// Which children a failure takes along.
enum class strategy
{
    one_for_one,  // the failed child alone
    one_for_all,  // all children
    rest_for_one, // the failed child and those started after it
};

// What a supervisor is to do next.
struct start_child
{
    std::size_t child;
};
struct stop_child
{
    std::size_t child;
};
struct close_child // it will not live again
{
    std::size_t child;
};
struct wait_until // then call next() again
{
    time_point when;
};
struct finish // every child is down
{
    bool escalate;
};
using supervisor_action = std::variant<start_child, stop_child, close_child, wait_until, finish>;

// Every decision of a supervisor, and nothing else: no clock, no executor, no actors. It is told
// what happened and asked what is to be done; the whole of supervision is a table of test cases.
//
// Children start in order and stop in reverse, one at a time. A child that has to go down is
// marked; next() compares what is with what should be and names the next steps. A stop overrides
// everything.
class supervision
{
public:
    supervision(strategy strategy, intensity limit, backoff backoff) noexcept
        : strategy_(strategy),
          backoff_(backoff),
          limit_(limit),
          meter_(limit)
    {}

    std::size_t add(restart restart);
    std::size_t size() const noexcept { return children_.size(); }

    // Back to the beginning: all children are to be started again, no failure is remembered.
    void reset();

    // What happened.
    struct verdict
    {
        bool restarts = false;  // it will live again…
        duration delay{};       // …after this
        bool escalates = false; // one restart too many
    };
    bool started(std::size_t child); // false when it has been told to stop in the meantime
    verdict ended(std::size_t child, exit_kind how, time_point now, double jitter);
    void stuck(std::size_t child);
    void stop();

    bool all_up() const noexcept;
    bool is_down(std::size_t child) const noexcept
    {
        return children_[child].is == condition::down;
    }

    // What is to be done now; empty when there is nothing but to wait for what was asked before.
    std::vector<supervisor_action> next(time_point now);

private:
    enum class condition
    {
        down,
        starting,
        up,
        stopping,
        stuck
    };

    struct child
    {
        cuebox::restart restart;
        condition is = condition::down;
        bool wanted = true;      // it should be up
        bool marked = false;     // it must go down first
        bool closed = false;     // it will not live again
        bool was_up = false;     // it has started before
        std::uint64_t batch = 0; // those restarted together, in order
        time_point not_before{};
        failure_streak streak{};
    };

    bool may_start(std::size_t child, time_point now) const noexcept;
    void mark(std::size_t failed, time_point when);
    bool stop_last(std::vector<supervisor_action>& actions, bool marked_only);

    strategy strategy_;
    backoff backoff_;
    intensity limit_;
    restart_meter meter_;
    std::vector<child> children_;
    std::uint64_t batches_ = 0;
    bool closing_ = false;
    bool escalating_ = false;
    bool finished_ = false;
};

}

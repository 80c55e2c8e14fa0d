#pragma once

#include <cuebox/actors/desk.hpp>
#include <cuebox/actors/messages.hpp>

#include <mutex>
#include <optional>
#include <utility>

namespace cuebox::actors {

// The context's loop does not turn.
struct stalled
{
    duration lasted{};
    // Whose turn does not end; none when it is no handler's.
    std::optional<handling_now> by{};
};

// What connection, claimer and gauge last said of themselves, for whoever asks from another thread.
// To ask the actors would be to wait with them: for a database that is silent, for a handler that
// blocks its loop.
class vitals
{
public:
    struct line_signs
    {
        bool listening = false;
        bool polling = false;
        // When the line was proved to be alive, and when the database was last heard of by any way;
        // never yet: none.
        std::optional<time_point> checked{};
        std::optional<time_point> heard{};
        std::string trouble{};
    };
    struct reading
    {
        outbox::gauges gauges{};
        time_point read_at{};
    };
    struct signs
    {
        line_signs line{};
        std::optional<claimer_load> load{};
        std::optional<reading> last_reading{};
        std::optional<actors::stalled> stall{};
    };

    void note_line(line_signs line)
    {
        const std::lock_guard lock(mutex_);
        known_.line = std::move(line);
    }
    void note_load(const claimer_load& load)
    {
        const std::lock_guard lock(mutex_);
        known_.load = load;
    }
    void note_reading(outbox::gauges gauges, time_point now)
    {
        const std::lock_guard lock(mutex_);
        known_.last_reading = {std::move(gauges), now};
    }

    void note_stall(std::optional<stalled> stall)
    {
        const std::lock_guard lock(mutex_);
        known_.stall = std::move(stall);
    }

    signs read() const
    {
        const std::lock_guard lock(mutex_);
        return known_;
    }

private:
    mutable std::mutex mutex_;
    signs known_;
};

}

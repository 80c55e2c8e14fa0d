#pragma once

#include <cstddef>
#include <deque>
#include <optional>

namespace cuebox::pg::detail {

// The kinds of answers libpq hands out in pipeline mode.
enum class answer
{
    success, // Rows, or a command that is done.
    failure,
    aborted,  // Not run, because an earlier one of its segment failed.
    sync,     // The end of a segment.
    separator // Between the answers of two commands.
};

// Keeps the order in which commands were sent, to tell which of them an answer belongs to: libpq
// keeps that to itself. Pure bookkeeping; no libpq, no socket.
class pipeline_book
{
public:
    enum class kind
    {
        prepare,
        execute,
        sync
    };
    struct entry
    {
        kind what;
        std::size_t command;
    };

    void sent(kind what, std::size_t command);

    // What an answer means: the command it is for, or none for a separator. An answer that cannot
    // come now means that we and the server have lost each other: then confused() is true.
    std::optional<entry> on(answer got);

    bool done() const noexcept { return sent_.empty(); }
    bool confused() const noexcept { return confused_; }

private:
    std::deque<entry> sent_;
    bool answered_ = false; // The first in the queue has its answer, its separator is due.
    bool confused_ = false;
};

}

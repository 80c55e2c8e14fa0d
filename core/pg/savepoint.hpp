#pragma once

#include <cuebox/pg/awaitable.hpp>

#include <cstddef>

namespace cuebox::pg {

class transaction;

// A part of a transaction that can be undone on its own. Ending it is explicit: one that is dropped
// open closes the connection. Savepoints nest: the last one opened ends first.
class savepoint
{
public:
    savepoint(savepoint&& other) noexcept;
    savepoint& operator=(savepoint&&) = delete;
    ~savepoint();

    // What was done since stays, as part of the transaction.
    awaitable<void> release();
    // What was done since is undone, a failure included: the transaction goes on.
    awaitable<void> rollback();

private:
    friend class transaction;
    savepoint(transaction& of, int depth);

    awaitable<void> end(bool undo);

    transaction* transaction_; // Null when it has ended.
    int depth_;
    std::size_t statements_; // Of the commit, when it began, and calls after it.
    std::size_t calls_;
};

}

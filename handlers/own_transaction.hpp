#pragma once

#include <cuebox/outbox/relay.hpp>
#include <cuebox/pg/transaction.hpp>

#include <memory>
#include <utility>

namespace cuebox {

// A transaction that a leased handler opens for itself, on a connection of its context. The handler
// commits it, or rolls it back; it has nothing to do with the row, which is settled later. Keep it
// short: it holds a connection that others wait for.
//
//     auto work = co_await event.begin();
//     co_await work->execute(insert_note, event->number);
//     co_await work->commit();
class own_transaction
{
public:
    explicit own_transaction(std::unique_ptr<outbox::locked_batch> on) : on_(std::move(on)) {}

    pg::transaction& operator*() const noexcept { return on_->work(); }
    pg::transaction* operator->() const noexcept { return &on_->work(); }

private:
    std::unique_ptr<outbox::locked_batch> on_;
};

}

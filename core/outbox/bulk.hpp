#pragma once

#include <cuebox/outbox/outgoing.hpp>
#include <cuebox/pg/copy_in.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cuebox::outbox {

// Events by COPY, within a transaction: for thousands at once.
//
//     auto bulk = co_await outbox::bulk::start(work);
//     for (const order& each : orders) {
//         const auto event = publisher.prepare(order_placed{each.number});
//         co_await bulk.add(event);
//     }
//     co_await bulk.finish();
//     co_await work.commit();
//
// However many there are, one NOTIFY per channel goes with the commit. One that is dropped before
// finish() closes the connection. Delays count from this process's clock, since COPY takes no
// expressions.
class bulk
{
public:
    static pg::awaitable<bulk> start(pg::transaction& within);

    pg::awaitable<void> add(const outgoing& event);
    // How many the server took.
    pg::awaitable<std::size_t> finish();

private:
    bulk(pg::transaction& within, pg::copy_in copy);

    pg::transaction* within_;
    pg::copy_in copy_;
    std::set<std::string> channels_;
    std::vector<std::pair<std::shared_ptr<const witness>, witness::note>> notes_;
};

}

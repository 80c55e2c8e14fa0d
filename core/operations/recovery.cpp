#include <cuebox/operations/error.hpp>
#include <cuebox/operations/recovery.hpp>
#include <cuebox/operations/statements.hpp>
#include <cuebox/outbox/retention.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cmath>

namespace cuebox::operations {

namespace {

struct row_result
{
    event::uuid id;
    std::string result;
    std::optional<std::string> reason;
    std::optional<std::string> hint;
    std::optional<std::int64_t> generation; // Where it was replayed to.
};

bool refused(const row_result& row)
{
    return row.result == "refused" || row.result == "missing";
}

void throw_if_refused(const row_result& row)
{
    if (refused(row))
        throw error{row.reason.value_or(""), row.hint.value_or("")};
}

// Where to, and what may not go there.
struct replay_terms
{
    // None: each row goes where somebody listens for it (core.generation_for).
    std::optional<std::int64_t> generation{};
    bool force = false;
    // As long as dedup records are kept.
    std::chrono::microseconds horizon{};
};

pg::awaitable<replay_terms> terms_of(pg::connection& connection,
                                     std::optional<std::int64_t> generation, bool force)
{
    replay_terms terms{.generation = generation, .force = force};
    const outbox::retention kept = co_await outbox::read_retention(connection);
    terms.horizon = kept.handled_active;
    co_return terms;
}

// What is done with a batch: a replay on these terms, or else a discard.
struct deed
{
    std::optional<replay_terms> replay;
    std::string actor;

    const pg::statement& statement() const { return replay ? replay_rows : discard_rows; }

    pg::params with(const std::vector<event::uuid>& ids) const
    {
        if (!replay)
            return pg::params(std::in_place, ids, actor);
        return pg::params(std::in_place, ids, replay->generation, actor, replay->force,
                          replay->horizon);
    }
};

// Keeps to the rate: waits until as much time has passed as so many rows take.
class pace
{
public:
    explicit pace(const bulk_options& options) : rate_(options.rate)
    {
        if (std::isnan(rate_) || rate_ < 0 || (rate_ > 0 && rate_ < rate_min))
            throw error{"a rate is a number of rows a second, 0.001 or more",
                        "give one of these, or 0 for none"};
        if (options.batch < 1 || options.batch > 10'000)
            throw error{"a batch has 1 to 10000 rows, not " + std::to_string(options.batch),
                        "leave it out for the default"};
        batch_ = options.batch;
        // Four steps a second, so that a slow rate is not one burst.
        if (rate_ > 0)
            batch_ =
                std::clamp(static_cast<std::int32_t>(std::min(rate_ / 4, 10'000.0)), 1, batch_);
    }

    std::int32_t batch() const noexcept { return batch_; }

    pg::awaitable<void> keep(std::int64_t taken)
    {
        if (rate_ <= 0)
            co_return;
        using seconds = std::chrono::duration<double>;
        constexpr seconds longest =
            std::chrono::years(100); // Of nanoseconds there are only so many.
        const auto takes = std::min(seconds(static_cast<double>(taken) / rate_), longest);
        const auto due = began_ + std::chrono::duration_cast<pg::clock::duration>(takes);
        const auto executor = co_await boost::asio::this_coro::executor;
        boost::asio::steady_timer timer{executor, due};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }

private:
    double rate_;
    std::int32_t batch_ = 1;
    pg::clock::time_point began_ = pg::clock::now();
};

void count(bulk_result& total, const std::vector<row_result>& rows)
{
    for (const row_result& each : rows) {
        if (!refused(each)) {
            ++total.done;
            if (each.generation)
                ++total.generations[*each.generation];
            continue;
        }
        ++total.refused;
        if (total.refusals.size() < refusals_max)
            total.refusals.push_back({.id = each.id,
                                      .reason = each.reason.value_or(""),
                                      .advice = each.hint.value_or("")});
    }
}

pg::awaitable<void> do_batch(pg::connection& connection, const deed& what,
                             std::vector<event::uuid> ids, bulk_result& total)
{
    auto asked = connection.execute(what.statement(), what.with(ids));
    const pg::result answer = co_await detail::in_words(std::move(asked));
    count(total, answer.rows<row_result>());
}

// How many of a bulk operation are still to be done, and how far it is.
class quota
{
public:
    quota(const bulk_options& options, std::int64_t matching)
        : options_(options),
          limit_(options.limit ? std::max<std::int64_t>(*options.limit, 0) : matching),
          total_(std::min(limit_, matching))
    {}

    // For the next batch; none: that was all. What was refused leaves room for others.
    std::int32_t room(const bulk_result& so_far, std::int32_t batch) const
    {
        if (!options_.limit)
            return batch;
        return static_cast<std::int32_t>(std::min<std::int64_t>(batch, limit_ - so_far.done));
    }
    void tell(const bulk_result& so_far) const
    {
        const std::int64_t seen = so_far.done + so_far.refused;
        if (options_.progress)
            options_.progress({.done = options_.limit ? so_far.done : seen, .total = total_});
    }

private:
    const bulk_options& options_;
    std::int64_t limit_;
    std::int64_t total_;
};

pg::awaitable<bulk_result> do_all(pg::connection& connection, std::vector<event::uuid> ids,
                                  deed what, bulk_options options)
{
    bulk_result total;
    pace pace{options};
    const auto size = static_cast<std::int64_t>(ids.size());
    const quota quota{options, size};
    for (std::int64_t taken = 0; taken < size;) {
        const std::int64_t some =
            std::min<std::int64_t>(quota.room(total, pace.batch()), size - taken);
        if (some == 0)
            break;
        std::vector<event::uuid> batch(ids.begin() + taken, ids.begin() + taken + some);
        co_await do_batch(connection, what, std::move(batch), total);
        taken += some;
        quota.tell(total);
        if (taken < size)
            co_await pace.keep(total.done);
    }
    co_return total;
}

pg::awaitable<bulk_result> do_all(pg::connection& connection, dlq_filter filter, deed what,
                                  bulk_options options)
{
    bulk_result total;
    pace pace{options};
    filter = co_await pin(connection, std::move(filter));
    if (!options.counted)
        options.counted = co_await count_dlq_events(connection, filter);
    const quota quota{options, *options.counted};
    // Pinned, so that the pages have an end.
    dlq_paging paging{.oldest_first = true};
    for (;;) {
        paging.limit = quota.room(total, pace.batch());
        if (paging.limit == 0)
            break;
        const dlq_page page = co_await list_dlq_events(connection, filter, paging);
        if (page.events.empty())
            break;
        std::vector<event::uuid> batch;
        for (const dlq_event& each : page.events)
            batch.push_back(each.id);
        co_await do_batch(connection, what, std::move(batch), total);
        quota.tell(total);
        if (!page.next)
            break;
        paging.after = *page.next;
        co_await pace.keep(total.done);
    }
    co_return total;
}

template <class Which>
pg::awaitable<bulk_result> replay_all(pg::connection& connection, Which which,
                                      replay_options options)
{
    const auto terms = co_await terms_of(connection, options.generation, options.force);
    deed what{.replay = terms, .actor = options.bulk.actor};
    co_return co_await do_all(connection, std::move(which), std::move(what),
                              std::move(options.bulk));
}

}

pg::awaitable<replayed> replay_dlq_event(pg::connection& connection, replay_request request)
{
    const auto terms = co_await terms_of(connection, request.generation, request.force);
    const std::vector<event::uuid> ids{request.id};
    auto asked = connection.query_one<row_result>(replay_rows, ids, terms.generation, request.actor,
                                                  terms.force, terms.horizon);
    const auto row = co_await detail::in_words(std::move(asked));
    throw_if_refused(row);
    co_return replayed{.id = request.id, .generation = row.generation.value_or(0)};
}

pg::awaitable<void> discard_dlq_event(pg::connection& connection, event::uuid id, std::string actor)
{
    const std::vector<event::uuid> ids{id};
    auto asked = connection.query_one<row_result>(discard_rows, ids, actor);
    const auto row = co_await detail::in_words(std::move(asked));
    throw_if_refused(row);
}

pg::awaitable<bulk_result> replay_dlq_events(pg::connection& connection, dlq_filter filter,
                                             replay_options options)
{
    return replay_all(connection, std::move(filter), std::move(options));
}

pg::awaitable<bulk_result> replay_dlq_events(pg::connection& connection,
                                             std::vector<event::uuid> ids, replay_options options)
{
    return replay_all(connection, std::move(ids), std::move(options));
}

pg::awaitable<bulk_result> discard_dlq_events(pg::connection& connection, dlq_filter filter,
                                              bulk_options options)
{
    deed what{.replay = {}, .actor = options.actor};
    return do_all(connection, std::move(filter), std::move(what), std::move(options));
}

pg::awaitable<bulk_result> discard_dlq_events(pg::connection& connection,
                                              std::vector<event::uuid> ids, bulk_options options)
{
    deed what{.replay = {}, .actor = options.actor};
    return do_all(connection, std::move(ids), std::move(what), std::move(options));
}

}

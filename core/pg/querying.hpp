#pragma once

#include <cuebox/pg/awaitable.hpp>
#include <cuebox/pg/outcome.hpp>
#include <cuebox/pg/pipeline.hpp>

#include <optional>
#include <vector>

namespace cuebox::pg {

// What connections and transactions have in common: single statements, by way of Derived::run.
// Parameters are encoded before these return, so nothing given has to outlive the call.
template <class Derived>
class querying
{
public:
    template <class... Values>
    awaitable<result> execute(const statement& what, const Values&... values)
    {
        return execute(what, params(std::in_place, values...));
    }
    awaitable<result> execute(const statement& what, params values)
    {
        pipeline single;
        single.add(what, std::move(values));
        return only_result(static_cast<Derived&>(*this).run(std::move(single)));
    }

    // All rows, the first one if any, or exactly one.
    template <class Row, class... Values>
    awaitable<std::vector<Row>> query(const statement& what, const Values&... values)
    {
        return read_rows<Row>(execute(what, values...));
    }
    template <class Row, class... Values>
    awaitable<std::optional<Row>> query_first(const statement& what, const Values&... values)
    {
        return read_first<Row>(execute(what, values...));
    }
    template <class Row, class... Values>
    awaitable<Row> query_one(const statement& what, const Values&... values)
    {
        return read_only<Row>(execute(what, values...));
    }

protected:
    ~querying() = default;

private:
    static awaitable<result> only_result(awaitable<std::vector<outcome>> running)
    {
        auto outcomes = co_await std::move(running);
        co_return outcomes.back().take();
    }
    template <class Row>
    static awaitable<std::vector<Row>> read_rows(awaitable<result> running)
    {
        const result got = co_await std::move(running);
        co_return got.template rows<Row>();
    }
    template <class Row>
    static awaitable<std::optional<Row>> read_first(awaitable<result> running)
    {
        const result got = co_await std::move(running);
        co_return got.template first<Row>();
    }
    template <class Row>
    static awaitable<Row> read_only(awaitable<result> running)
    {
        const result got = co_await std::move(running);
        co_return got.template only<Row>();
    }
};

}

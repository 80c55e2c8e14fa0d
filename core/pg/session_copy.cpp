#include <cuebox/pg/flush_step.hpp>
#include <cuebox/pg/operation.hpp>

// What libpq cannot do in pipeline mode: COPY, and scripts of several statements.
namespace cuebox::pg::detail {

awaitable<result> session::last_result(const operation& running)
{
    owned_result last;
    for (;;) {
        if (PQisBusy(connection_)) {
            co_await read_more(running);
            continue;
        }
        owned_result got{PQgetResult(connection_)};
        if (!got)
            break;
        note_farewell(got.get());
        const auto status = PQresultStatus(got.get());
        if (status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH)
            throw error(errc::usage, running.statement(), "COPY to the client is not supported");
        if (status == PGRES_COPY_IN) // Nothing follows until the copy ends.
            co_return result(got.release(), running.statement());
        // The first failure is the one to report; what follows it is only the end of the text.
        if (!last || PQresultStatus(last.get()) != PGRES_FATAL_ERROR)
            last = std::move(got);
        if (PQstatus(connection_) == CONNECTION_BAD)
            throw_lost(running.statement());
    }
    co_return result(last.release(), running.statement());
}

awaitable<void> session::run_script(statement script)
{
    operation running(*this, script.name);
    const std::string sql(script.sql);
    if (!PQsendQuery(connection_, sql.c_str()))
        throw_lost(script.name);
    co_await flush(running);
    const result last = co_await last_result(running);
    if (PQtransactionStatus(connection_) == PQTRANS_ACTIVE)
        throw error(errc::usage, script.name,
                    "a script cannot COPY from its client: use pg::copy_in");
    running.finish();
    last.expect_success();
}

awaitable<void> session::begin_copy(statement copy, std::string_view begin)
{
    operation running(*this, copy.name);
    std::string sql(begin);
    sql.append(begin.empty() ? "" : ";").append(copy.sql);
    if (!PQsendQuery(connection_, sql.c_str()))
        throw_lost(copy.name);
    co_await flush(running);
    const result started = co_await last_result(running);
    running.finish();
    started.expect_success();
    copying_ = PQtransactionStatus(connection_) == PQTRANS_ACTIVE;
    if (!copying_)
        throw error(errc::usage, copy.name, "it is not a COPY ... FROM STDIN");
}

awaitable<void> session::send_copy(statement copy, std::string_view data)
{
    operation running(*this, copy.name, operation::within_copy);
    int taken = 0;
    while ((taken = PQputCopyData(connection_, data.data(), static_cast<int>(data.size()))) == 0)
        co_await flush(running);
    if (taken < 0)
        throw_lost(copy.name);
    co_await flush(running);
    running.finish();
}

awaitable<std::size_t> session::end_copy(statement copy)
{
    operation running(*this, copy.name, operation::within_copy);
    int taken = 0;
    while ((taken = PQputCopyEnd(connection_, nullptr)) == 0)
        co_await flush(running);
    if (taken < 0)
        throw_lost(copy.name);
    co_await flush(running);
    const result ended = co_await last_result(running);
    running.finish();
    copying_ = false;
    ended.expect_success();
    co_return ended.affected();
}

}

#include <cuebox/pg/cancel_point.hpp>
#include <cuebox/pg/canceller.hpp>
#include <cuebox/pg/flush_step.hpp>
#include <cuebox/pg/operation.hpp>
#include <cuebox/pg/pipeline_book.hpp>
#include <cuebox/pg/session.hpp>

#include <libpq-fe.h>

#include <memory>

namespace cuebox::pg::detail {

namespace {

answer classify(const PGresult* got)
{
    if (!got)
        return answer::separator;
    switch (PQresultStatus(got)) {
    case PGRES_PIPELINE_SYNC:
        return answer::sync;
    case PGRES_PIPELINE_ABORTED:
        return answer::aborted;
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY:
        return answer::success;
    default:
        return answer::failure;
    }
}

// The server's copy is gone or out of date: DISCARD ALL, or a changed table.
bool is_stale_statement(const error& failure)
{
    return failure.sqlstate() == "26000" || failure.sqlstate() == "0A000";
}

}

error to_error(std::string_view statement, const pg_result* failed)
{
    const auto part = [failed](int which) {
        const char* text = PQresultErrorField(failed, which);
        return std::string(text ? text : "");
    };
    server_error from{.sqlstate = part(PG_DIAG_SQLSTATE),
                      .message = part(PG_DIAG_MESSAGE_PRIMARY),
                      .hint = part(PG_DIAG_MESSAGE_HINT),
                      .constraint = part(PG_DIAG_CONSTRAINT_NAME)};
    if (from.sqlstate.empty()) // libpq's own complaint, not the server's.
        return error(errc::lost, statement, PQresultErrorMessage(failed));
    from.message = without_values(from.sqlstate, from.message);
    return error(statement, std::move(from));
}

session::session(pg_conn* connected, asio::any_io_executor executor, const connect_options& options)
    : statement_deadline(options.statement_deadline),
      connection_(connected),
      cancelling_(make_cancel_point(connected)),
      socket_(executor),
      prepared_(options.prepared_max),
      notifications_max_(options.notifications_max)
{
    PQsetnonblocking(connection_, 1);
    // Notices are not for us, but for the last one, which tells why the server hangs up.
    const auto receive = [](void* self, const PGresult* notice) {
        static_cast<session*>(self)->note_farewell(notice);
    };
    PQsetNoticeReceiver(connection_, receive, this);
    socket_.assign(PQsocket(connection_));
}

session::~session()
{
    break_off("it was closed");
}

void session::break_off(std::string_view why)
{
    if (!connection_)
        return;
    broken_why_ = why;
    if (PQtransactionStatus(connection_) == PQTRANS_ACTIVE)
        cancelling_->insist();
    socket_.release();
    PQfinish(connection_);
    connection_ = nullptr;
}

bool session::in_failed_transaction() const noexcept
{
    return connection_ && PQtransactionStatus(connection_) == PQTRANS_INERROR;
}

bool session::in_transaction() const noexcept
{
    const auto status = connection_ ? PQtransactionStatus(connection_) : PQTRANS_UNKNOWN;
    return status != PQTRANS_IDLE;
}

void session::expect_alive(std::string_view statement) const
{
    if (!connection_)
        throw error(errc::lost, statement, "the connection is closed: " + broken_why_);
}

void session::expect_free(std::string_view statement) const
{
    expect_alive(statement);
    if (running_ || copying_)
        throw error(errc::usage, statement,
                    copying_ ? "a COPY is going on: finish it first"
                             : "the connection is busy: it does one thing at a time");
}

void session::note_farewell(const pg_result* got)
{
    const char* severity = PQresultErrorField(got, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char* message = PQresultErrorField(got, PG_DIAG_MESSAGE_PRIMARY);
    const std::string_view how = severity ? severity : "";
    if (message && (how == "FATAL" || how == "PANIC"))
        farewell_ = message;
}

std::string session::why_lost() const
{
    if (!farewell_.empty())
        return farewell_;
    const std::string why = PQerrorMessage(connection_);
    return why.substr(0, why.find('\n'));
}

void session::throw_lost(std::string_view statement)
{
    throw error(errc::lost, statement, "the connection was lost: " + why_lost());
}

void session::throw_timed_out(std::string_view statement)
{
    throw error(
        errc::timed_out, statement,
        "no answer within " +
            std::to_string(
                std::chrono::duration_cast<std::chrono::milliseconds>(statement_deadline).count()) +
            " ms: the statement was cancelled and the connection closed");
}

awaitable<std::vector<outcome>> session::run(std::vector<command> commands)
{
    std::vector<outcome> outcomes(commands.size());
    if (commands.empty())
        co_return outcomes;
    // Answers come together, so which one is slow is not known. It is hardly BEGIN.
    const bool begins = commands.size() > 1 && commands.front().statement.name == "begin";
    operation running(*this, commands[begins ? 1 : 0].statement.name);
    if (!PQenterPipelineMode(connection_))
        throw_lost(running.statement());

    pipeline_book book;
    std::vector<prepared::choice> sent;
    commands.back().sync = true;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        sent.push_back(send(commands[i], i, book));
        if (!commands[i].sync)
            continue;
        if (!PQpipelineSync(connection_))
            throw_lost(running.statement());
        book.sent(pipeline_book::kind::sync, i);
        prepared_.end_segment();
    }
    co_await flush(running);

    while (!book.done()) {
        if (PQisBusy(connection_)) {
            co_await read_more(running);
            continue;
        }
        owned_result got{PQgetResult(connection_)};
        note_farewell(got.get());
        const answer what = classify(got.get());
        if (what == answer::failure && PQstatus(connection_) == CONNECTION_BAD)
            throw_lost(running.statement());
        const auto entry = book.on(what);
        if (book.confused())
            throw error(errc::lost, running.statement(), "the server's answers are out of order");
        if (entry && entry->what != pipeline_book::kind::sync) {
            const std::size_t index = entry->command;
            settle(got.release(), what == answer::success, commands[index], outcomes[index],
                   sent[index], entry->what == pipeline_book::kind::prepare);
        }
    }
    prepared_.end_run();
    collect_notifications();
    PQexitPipelineMode(connection_);
    running.finish();
    co_return outcomes;
}

prepared::choice session::send(const command& what, std::size_t index, pipeline_book& book)
{
    using use = prepared::use;
    const params::view values = what.params.for_libpq();
    const int count = static_cast<int>(what.params.size());
    if (what.describe) {
        // Without a name: nothing is left of it, whatever connection a pooler sends us to next.
        const std::string text(what.statement.sql);
        if (!PQsendPrepare(connection_, "", text.c_str(), count, values.types.data()) ||
            !PQsendDescribePrepared(connection_, ""))
            throw_lost(what.statement.name);
        book.sent(pipeline_book::kind::prepare, index);
        book.sent(pipeline_book::kind::execute, index);
        return {};
    }
    prepared::choice choice = prepared_.choose(what.statement.sql, values.types);

    bool sent = true;
    // libpq reads it up to a NUL; of one that is prepared the server has it.
    const std::string sql(choice.how == use::by_name ? std::string_view() : what.statement.sql);
    if (choice.how == use::prepare_first) {
        sent = PQsendPrepare(connection_, choice.name.c_str(), sql.c_str(), count,
                             values.types.data());
        book.sent(pipeline_book::kind::prepare, index);
    }
    if (sent && choice.how == use::as_it_is)
        sent = PQsendQueryParams(connection_, sql.c_str(), count, values.types.data(),
                                 values.values.data(), values.lengths.data(), values.formats.data(),
                                 1);
    else if (sent)
        sent = PQsendQueryPrepared(connection_, choice.name.c_str(), count, values.values.data(),
                                   values.lengths.data(), values.formats.data(), 1);
    if (!sent)
        throw_lost(what.statement.name);
    book.sent(pipeline_book::kind::execute, index);
    return choice;
}

void session::settle(pg_result* got, bool success, const command& of, outcome& into,
                     const prepared::choice& sent, bool preparing)
{
    owned_result taken{got};
    if (success && preparing) {
        prepared_.confirm(sent.name);
    }
    else if (success) {
        into.succeed(result(taken.release(), of.statement.name));
    }
    else if (PQresultStatus(got) != PGRES_PIPELINE_ABORTED) {
        error failure = to_error(of.statement.name, got);
        if (is_stale_statement(failure))
            prepared_.forget(sent.name);
        into.fail(std::move(failure));
    }
}

awaitable<void> session::flush(const operation& running)
{
    while (const auto wanted = after_flush(PQflush(connection_))) {
        const readiness ended = co_await socket_.wait(*wanted);
        consume(ended, running);
    }
}

awaitable<void> session::read_more(const operation& running)
{
    const readiness ended = co_await socket_.wait(interest::read);
    consume(ended, running);
}

void session::consume(readiness ended, const operation& running)
{
    if (ended == readiness::timed_out)
        throw_timed_out(running.statement());
    expect_alive(running.statement());
    if (!PQconsumeInput(connection_))
        throw_lost(running.statement());
    collect_notifications();
}

void session::collect_notifications()
{
    while (PGnotify* got = PQnotifies(connection_)) {
        if (notifications_.size() == notifications_max_) {
            notifications_.pop_front();
            ++dropped_;
        }
        notifications_.push_back(
            {.channel = got->relname, .payload = got->extra, .backend = got->be_pid});
        PQfreemem(got);
    }
}

}

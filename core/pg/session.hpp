#pragma once

#include <cuebox/pg/conninfo.hpp>
#include <cuebox/pg/notification.hpp>
#include <cuebox/pg/outcome.hpp>
#include <cuebox/pg/pipeline.hpp>
#include <cuebox/pg/prepared.hpp>
#include <cuebox/pg/socket.hpp>
#include <cuebox/pg/statement.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct pg_conn;
struct pg_result;

// Private to this room: what a connection is made of.
namespace cuebox::pg::detail {

class cancel_point;
class pipeline_book;

// One established libpq connection and what it needs to run one operation after another. An
// operation that is abandoned half-way, by cancellation, a deadline or a lost socket, leaves the
// protocol in an unknown place: the session is then broken, the server is asked to stop what it was
// doing, and the socket is closed.
class session
{
public:
    // Takes the connection over, unless it throws.
    session(pg_conn* connected, asio::any_io_executor executor, const connect_options& options);
    ~session();
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    // Sends all, then reads all answers: one round trip, whatever their number.
    awaitable<std::vector<outcome>> run(std::vector<command> commands);
    // Several statements in one text, without parameters.
    awaitable<void> run_script(statement script);

    // In one round trip with the BEGIN given, if any.
    awaitable<void> begin_copy(statement copy, std::string_view begin = {});
    awaitable<void> send_copy(statement copy, std::string_view data);
    awaitable<std::size_t> end_copy(statement copy);

    // None when the deadline passes first.
    awaitable<std::optional<notification>> next_notification(clock::time_point deadline);

    bool broken() const noexcept { return connection_ == nullptr; }
    // Throws errc::lost when it is.
    void expect_alive(std::string_view statement) const;
    // The same, and errc::usage while something is going on.
    void expect_free(std::string_view statement) const;
    // Closes the connection; why is what later operations say.
    void break_off(std::string_view why);

    // Whether the server is inside a transaction, failed or not.
    bool in_transaction() const noexcept;
    // Whether it is inside one that has failed, and will only be rolled back.
    bool in_failed_transaction() const noexcept;

    pg_conn* raw() const noexcept { return connection_; }
    const std::shared_ptr<cancel_point>& cancelling() const noexcept { return cancelling_; }
    asio::any_io_executor executor() const { return socket_.executor(); }

    std::chrono::nanoseconds statement_deadline;
    std::size_t prepared_count() const noexcept { return prepared_.size(); }
    std::size_t dropped_notifications() const noexcept { return dropped_; }

private:
    class operation;
    class listening;

    prepared::choice send(const command& what, std::size_t index, pipeline_book& book);
    void settle(pg_result* got, bool success, const command& of, outcome& into,
                const prepared::choice& sent, bool preparing);
    awaitable<void> flush(const operation& running);
    awaitable<void> read_more(const operation& running);
    // The last result of what was sent outside pipeline mode.
    awaitable<result> last_result(const operation& running);
    // After a wait: throws unless the socket is ready, and reads what is there.
    void consume(readiness ended, const operation& running);
    void collect_notifications();
    // The server's last words before it hangs up.
    void note_farewell(const pg_result* got);
    std::string why_lost() const;
    [[noreturn]] void throw_lost(std::string_view statement);
    [[noreturn]] void throw_timed_out(std::string_view statement);

    pg_conn* connection_;
    std::shared_ptr<cancel_point> cancelling_; // Made early: there is need when memory is short.
    socket socket_;
    prepared prepared_;
    std::size_t notifications_max_;
    std::deque<notification> notifications_;
    std::size_t dropped_ = 0;
    bool running_ = false;
    bool copying_ = false;
    std::string broken_why_;
    std::string farewell_;
};

// Turns a failed result into the error to throw, whichever session it came from.
error to_error(std::string_view statement, const pg_result* failed);

}

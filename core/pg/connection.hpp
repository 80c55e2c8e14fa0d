#pragma once

#include <cuebox/pg/canceller.hpp>
#include <cuebox/pg/conninfo.hpp>
#include <cuebox/pg/notification.hpp>
#include <cuebox/pg/querying.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

namespace cuebox::pg {

namespace detail {

class session;

}

// One connection to Postgres, used by one coroutine at a time on the executor it was made on.
//
// Every wait ends at its deadline and when its coroutine is cancelled. What was then half done
// cannot be taken up again: the server is asked to stop it, and the connection is closed; all later
// use fails with errc::lost.
class connection : public querying<connection>
{
public:
    explicit connection(std::unique_ptr<detail::session> established);
    connection(connection&&) noexcept;
    connection& operator=(connection&&) noexcept;
    ~connection();

    // Sends all of them, then reads all answers. Each segment is a transaction of its own.
    awaitable<std::vector<outcome>> run(pipeline batch);
    // Has the server parse the statement for parameters of these types, and runs nothing. Throws
    // what it refuses; gives the number of the highest parameter that the statement uses or was
    // given.
    awaitable<std::size_t> describe(statement what, params with);
    // Several statements in one text, as one transaction unless the text says otherwise.
    awaitable<void> run_script(statement script);

    // Hears what is sent to a channel from now on; and no longer.
    awaitable<void> listen(std::string_view channel);
    awaitable<void> unlisten(std::string_view channel);
    // The next one heard, also while statements ran; none when nothing came in time. Cancelling
    // this wait leaves the connection as it was.
    awaitable<std::optional<notification>> next_notification(std::chrono::nanoseconds within);

    // How long each later statement may take; connect_options gives the first value.
    void set_deadline(std::chrono::nanoseconds each);
    std::chrono::nanoseconds deadline() const;

    bool broken() const noexcept;
    bool in_transaction() const noexcept;
    // Whether listen() was ever called.
    bool listening() const noexcept { return listening_; }
    void close();

    // Stops what is running here, from anywhere.
    pg::canceller canceller() const;
    // Those made so far do nothing from now on. False when a request of theirs is still under way,
    // which may hit whatever runs here next.
    bool retire_cancellers() noexcept;
    // The server process behind this connection.
    int backend() const;

    std::size_t prepared_statements() const noexcept;

    detail::session& session() const noexcept { return *session_; }

private:
    std::unique_ptr<detail::session> session_;
    bool listening_ = false;
};

// Tries the hosts of the conninfo in turn until one lets us in, on the awaiting coroutine's
// executor.
awaitable<connection> connect(connect_options options);

}

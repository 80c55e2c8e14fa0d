#pragma once

#include <cstdint>
#include <memory>

struct pg_conn; // libpq's PGconn

namespace cuebox::pg {

namespace detail {

class cancel_point;

// For one connection, as long as it or one of its cancellers lives.
std::shared_ptr<cancel_point> make_cancel_point(pg_conn* connection);

}

// Asks the server to stop what a connection is running, from any thread and while the connection
// itself waits: its statement then fails with SQLSTATE 57014.
//
// The server is told which process to interrupt, not which statement. So nothing is sent when the
// statement is over by then; but a request that is on its way as the statement ends may hit the
// next one on that connection. A pool does not lend a connection again while one is, and once a
// connection was given back the cancellers of its borrower do nothing.
class canceller
{
public:
    explicit canceller(std::shared_ptr<detail::cancel_point> of);

    // Without waiting for the server to have taken the request. It may get lost, as any may that
    // goes to a server in trouble: who has to be sure waits for the statement, with a deadline.
    void request() const noexcept;

private:
    std::shared_ptr<detail::cancel_point> point_;
    std::uint64_t lease_;
};

}

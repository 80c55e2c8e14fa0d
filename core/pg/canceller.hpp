#pragma once

#include <cuebox/pg/awaitable.hpp>

#include <memory>

struct pg_conn; // libpq's PGconn

namespace cuebox::pg {

// Asks the server to stop what a connection is running, from any thread and while the connection
// itself waits: its statement then fails with SQLSTATE 57014. Asking comes too late without harm.
class canceller
{
public:
    explicit canceller(pg_conn* connection);

    // Without waiting for the server to have taken the request.
    void request() const;
    // For a connection that is being closed: once more a little later, since the first request may
    // reach the server before the statement does, which would then run for nobody.
    void insist() const;

private:
    struct handle;
    std::shared_ptr<const handle> handle_;
};

}

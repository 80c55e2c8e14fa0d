#pragma once

#include <cuebox/pg/params.hpp>
#include <cuebox/pg/result.hpp>
#include <cuebox/pg/statement.hpp>

struct pg_conn; // libpq's PGconn

// For connections that belong to someone else's code: blocking calls, on their thread.
namespace cuebox::pg::foreign {

// Whether a transaction is open on it and has not failed.
bool in_transaction(const pg_conn* connection);

// Runs one statement there. Refusals of the server are thrown as pg::error.
result execute(pg_conn* connection, const statement& what, const params& values);

}

#include <cuebox/pg/error.hpp>
#include <cuebox/pg/foreign.hpp>

#include <libpq-fe.h>

namespace cuebox::pg::foreign {

bool in_transaction(const pg_conn* connection)
{
    return PQtransactionStatus(connection) == PQTRANS_INTRANS;
}

result execute(pg_conn* connection, const statement& what, const params& values)
{
    const params::view view = values.for_libpq();
    const std::string sql(what.sql);
    result got(PQexecParams(connection, sql.c_str(), static_cast<int>(values.size()),
                            view.types.data(), view.values.data(), view.lengths.data(),
                            view.formats.data(), 1),
               what.name);
    got.expect_success();
    return got;
}

}

#pragma once

#include <cuebox/config/node.hpp>
#include <cuebox/pg/awaitable.hpp>
#include <cuebox/pg/params.hpp>

#include <string>
#include <string_view>

namespace cuebox::pg {
class connection;
}

namespace cuebox::handlers {

// What can be said of a handler's statement without a database: empty, or why it cannot run in a
// delivery's transaction, because it is no command, ends the transaction, or changes the session.
std::string why_not_in_delivery(std::string_view sql);

// Has the server look at the statement with parameters of these types. Throws config::error, which
// names the place of the statement in the config, when the server refuses it; and pg::error when
// the server could not be asked.
pg::awaitable<void> check_statement(pg::connection& on, std::string name, std::string sql,
                                    pg::params with, config::node from);

}

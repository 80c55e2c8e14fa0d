#pragma once

#include <cuebox/pg/connection.hpp>

#include <string>
#include <string_view>

namespace cuebox::outbox {

// The role of the schema that a login needs for a command, named as on the command line, such as
// "dlq replay" or "worker"; empty when none is needed, or no single one will do.
std::string_view role_for(std::string_view command);

// Why the server denies a login what a command does: one sentence that names the role it lacks, and
// the statement with which an administrator gives it. Empty when the login has that role, and was
// denied something else.
pg::awaitable<std::string> why_denied(pg::connection& connection, std::string command);

// The same for a worker before it starts; empty when it may do its work. Its login need not have
// the role: the owner of the schema may work, too.
pg::awaitable<std::string> why_no_worker(pg::connection& connection);

}

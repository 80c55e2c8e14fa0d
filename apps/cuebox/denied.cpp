#include "denied.hpp"

#include "run.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/outbox/roles.hpp>

namespace cuebox::cli {

namespace {

constexpr std::string_view insufficient_privilege = "42501";

boost::asio::awaitable<int> ask(pg::connect_options where, const std::string& command,
                                std::string& why)
{
    pg::connection database = co_await pg::connect(where);
    why = co_await outbox::why_denied(database, command);
    co_return 0;
}

}

std::string in_words(const pg::error& refused, const std::string& command, const std::string& given)
{
    std::string why;
    try {
        const std::string found = find_database(given);
        // In a private server the login has all rights.
        if (refused.sqlstate() == insufficient_privilege && !embedded::parse(found))
            run(ask({.conninfo = found, .prepared_max = 0}, command, why));
    }
    catch (const std::exception&) {
        // Then what was refused is all there is to say.
    }
    return why.empty() ? refused.what() : why;
}

}

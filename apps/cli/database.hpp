#pragma once

#include <cuebox/embedded/shared_server.hpp>
#include <cuebox/pg/conninfo.hpp>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace cuebox::cli {

// Adds --database to a command.
void add_database_option(CLI::App& command, std::string& given);

// What --database gives, else CUEBOX_DATABASE_URL, else DATABASE_URL. Throws a failure when there
// is none of them.
std::string find_database(const std::string& given);

// The database a command works on. For `embedded[:DIR]` that is a private server: the one that runs
// in DIR already, else one of its own that runs as long as this lives.
class database
{
public:
    explicit database(const std::string& given);

    // For a command that runs each statement once or twice.
    pg::connect_options options() const;
    // For one that stays, and runs the same ones again and again.
    pg::connect_options for_many_statements() const;

    // The private server, where it is another command's, and stops with that; else null.
    const embedded::running_server* joined() const;

private:
    std::optional<embedded::shared_server> server_;
    std::string conninfo_;
};

}

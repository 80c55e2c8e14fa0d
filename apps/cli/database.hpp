#pragma once

#include <cuebox/embedded/server.hpp>
#include <cuebox/pg/conninfo.hpp>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace cuebox::cli {

// Adds --database to a command.
void add_database_option(CLI::App& command, std::string& given);

// The database a command works on: --database, else CUEBOX_DATABASE_URL, else DATABASE_URL. A
// private server, for `embedded[:DIR]`, runs as long as this lives.
class database
{
public:
    explicit database(const std::string& given);

    // For a command that runs each statement once or twice.
    pg::connect_options options() const;
    // For one that stays, and runs the same ones again and again.
    pg::connect_options for_many_statements() const;

private:
    std::optional<embedded::server> server_;
    std::string conninfo_;
};

}

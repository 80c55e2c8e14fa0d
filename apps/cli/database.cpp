#include <cuebox/cli/command.hpp>
#include <cuebox/cli/database.hpp>

#include <CLI/CLI.hpp>

#include <cstdlib>

namespace cuebox::cli {

std::string find_database(const std::string& given)
{
    if (!given.empty())
        return given;
    for (const char* variable : {"CUEBOX_DATABASE_URL", "DATABASE_URL"})
        if (const char* found = std::getenv(variable); found && *found)
            return found;
    throw failure{"no database: give --database URL or set CUEBOX_DATABASE_URL, or try it on a "
                  "private one with --database embedded"};
}

void add_database_option(CLI::App& command, std::string& given)
{
    command
        .add_option("--database", given,
                    "Postgres URL, or embedded[:DIR] for a private server; else "
                    "CUEBOX_DATABASE_URL, else DATABASE_URL")
        ->type_name("URL");
}

database::database(const std::string& given)
{
    const std::string found = find_database(given);
    if (const auto private_one = embedded::parse(found)) {
        server_.emplace(*private_one);
        conninfo_ = server_->conninfo();
    }
    else {
        conninfo_ = found;
    }
}

pg::connect_options database::options() const
{
    // Preparing would not pay, and there may be a transaction pooler in between.
    return {.conninfo = conninfo_, .prepared_max = 0};
}

const embedded::running_server* database::joined() const
{
    return server_ ? server_->joined() : nullptr;
}

pg::connect_options database::for_many_statements() const
{
    return {.conninfo = conninfo_};
}

}

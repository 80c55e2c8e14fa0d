#include "url.hpp"

#include "json.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/embedded/running_server.hpp>
#include <cuebox/pg/url.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace cuebox::cli {

// What is printed with --json.
struct database_url
{
    std::string url;
    bool password_left_out = false;
    // Of a private server: where its data is, and its postmaster.
    std::optional<std::string> directory;
    std::optional<std::int64_t> pid;
};

namespace {

struct url_options
{
    std::string database;
    bool with_password = false;
    bool json = false;
};

database_url url_of_private(const embedded::options& wanted)
{
    if (wanted.directory.empty())
        throw failure{"`embedded` is a private server of each command, which no other can reach: "
                      "give --database embedded:DIR"};
    const std::string directory = wanted.directory.string();
    const auto found = embedded::find_running(wanted.directory, wanted.start_deadline);
    if (!found)
        throw failure{"no Postgres runs in " + directory +
                      ": it runs as long as a command does, such as `cuebox worker --database "
                      "embedded:" +
                      directory + "`; start one and ask again"};
    return {.url = pg::print_url(found->conninfo(), pg::passwords::kept),
            .directory = found->data.string(),
            .pid = found->pid};
}

database_url url_of(const std::string& conninfo, bool with_password)
{
    const bool hidden = !with_password && pg::has_password(conninfo);
    return {.url = pg::print_url(conninfo, hidden ? pg::passwords::left_out : pg::passwords::kept),
            .password_left_out = hidden,
            .directory = {},
            .pid = {}};
}

int run_url(const url_options& options)
{
    const std::string found = find_database(options.database);
    const auto private_one = embedded::parse(found);
    const database_url shown =
        private_one ? url_of_private(*private_one) : url_of(found, options.with_password);
    if (options.json) {
        print_json(shown);
        return done;
    }
    std::printf("%s\n", shown.url.c_str());
    if (shown.password_left_out)
        std::fputs("the password is left out: psql asks for it; --with-password prints it\n",
                   stderr);
    return done;
}

}

void add_url(CLI::App& app, action& chosen)
{
    auto options = std::make_shared<url_options>();
    auto* command =
        app.add_subcommand("url", "Print the database's URL, as psql and --database take it");
    add_database_option(*command, options->database);
    command->add_flag("--with-password", options->with_password,
                      "Print the password, too, where the URL has one");
    command->add_flag("--json", options->json, "Print as JSON");
    command->footer("For embedded:DIR it is the URL of the private server that runs in DIR while "
                    "another command\nuses it: psql \"$(cuebox url --database embedded:DIR)\"");
    command->callback([options, &chosen] { chosen = [options] { return run_url(*options); }; });
}

}

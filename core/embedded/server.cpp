#include <cuebox/embedded/cluster.hpp>
#include <cuebox/embedded/conninfo.hpp>
#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/log_tail.hpp>
#include <cuebox/embedded/port.hpp>
#include <cuebox/embedded/postmaster.hpp>
#include <cuebox/embedded/run_directory.hpp>
#include <cuebox/embedded/server.hpp>
#include <cuebox/embedded/watcher.hpp>

#include <algorithm>
#include <csignal>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace cuebox::embedded {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

// In the order it comes up; the watcher goes first at the end and takes the rest with it.
struct server::state
{
    explicit state(const options& wanted);

    void initialize();
    void start_on_a_free_port();
    void shut_down(int signal);

    options wanted;
    fs::path directory; // As asked for, absolute; empty for a temporary one.
    account owner;
    embedded::binaries programs;
    bool existed;
    run_directory run;
    fs::path data;
    fs::path log;
    std::string password;
    std::optional<watcher> watched;
    int port = 0;
    pid_t pid = 0;
    pid_t creator = ::getpid();
};

namespace {

options checked(options wanted)
{
    validate(wanted);
    return wanted;
}

// Whoever does not care for the data does not care for the cluster either.
bool is_careless(const options& wanted)
{
    return std::ranges::find(wanted.settings, std::pair<std::string, std::string>{
                                                  "fsync", "off"}) != wanted.settings.end();
}

// Waits for a cluster that is being made: for a moment that looks like anything.
bool inspect_at_rest(const fs::path& data, const binaries& programs, const account& owner)
{
    descriptor one_at_a_time;
    if (::access(data.c_str(), R_OK) == 0)
        one_at_a_time = lock_directory(data);
    return inspect(data, programs, owner);
}

std::string who_may_connect(bool tcp)
{
    std::string lines = "local all all trust\nlocal replication all trust\n";
    if (tcp)
        lines += "host all all 127.0.0.1/32 scram-sha-256\n"
                 "host replication all 127.0.0.1/32 scram-sha-256\n";
    return lines;
}

std::vector<std::string> arguments(const options& wanted, const fs::path& run, bool tcp)
{
    const auto directory = run.string();
    std::vector<std::string> all;
    const auto set = [&all](const std::string& name, const std::string& value) {
        all.insert(all.end(), {"-c", name + "=" + value});
    };
    for (const auto& [name, value] : wanted.settings)
        set(name, value);
    set("listen_addresses", tcp ? "127.0.0.1" : "");
    set("unix_socket_directories", directory);
    set("unix_socket_permissions", "0700");
    set("hba_file", directory + "/hba");
    set("ident_file", directory + "/ident");
    set("logging_collector", "off");
    set("log_destination", "stderr");
    set("lc_messages", "C"); // What went wrong is read from the log.
    return all;
}

}

server::state::state(const options& options)
    : wanted{checked(options)},
      directory{options.directory.empty() ? fs::path{} : whole_path(options.directory)},
      owner{server_account(directory)},
      programs{find_binaries()},
      existed{!directory.empty() && inspect_at_rest(directory, programs, owner)},
      run{owner},
      data{directory.empty() ? run.path() / "data" : directory},
      log{directory.empty() ? run.path() / "server.log" : directory / "cuebox.log"},
      password{new_password()}
{
    if (!existed)
        make_home(data, owner);
    // Somebody may be faster, or in the midst of it: a cluster that is being made looks like one.
    descriptor one_at_a_time = lock_directory(data);
    existed = inspect(data, programs, owner);
    if (existed)
        password = stored_password(data);
    else
        run.write(password_file, password);
    if (!wanted.tcp)
        password.clear();
    const bool tcp = !password.empty();
    run.write("hba", who_may_connect(tcp));
    run.write("ident", "");

    const watcher::task task{.binaries = programs.directory,
                             .data = data,
                             .run = run.path(),
                             .log = log,
                             .locale = cluster_locale(),
                             .no_sync = directory.empty() || is_careless(wanted),
                             .arguments = arguments(wanted, run.path(), tcp)};
    watched.emplace(task, owner);
    if (!existed)
        initialize();
    one_at_a_time.reset();
    start_on_a_free_port();
}

void server::state::initialize()
{
    const int code = watched->init(std::chrono::minutes{2});
    if (code == 0)
        return;
    throw error{"could not make a Postgres cluster in " + data.string() + ": initdb exited with " +
                std::to_string(code) + last_lines(log_since(run.path() / "initdb.log", 0))};
}

void server::state::start_on_a_free_port()
{
    constexpr int tries_max = 10;
    for (int tries = 1; pid == 0; ++tries) {
        port = free_port();
        pid = start_postmaster(*watched, data, log, port, wanted.start_deadline);
        if (pid == 0 && tries == tries_max)
            throw error{
                "every free port of 127.0.0.1 was taken before Postgres could listen on it"};
    }
}

void server::state::shut_down(int signal)
{
    if (pid != 0)
        stop_postmaster(*watched, pid, signal, wanted.stop_deadline);
    pid = 0;
}

server::server(const options& options) : state_{std::make_unique<state>(options)} {}

server::~server()
{
    if (!state_)
        return;
    if (state_->creator == ::getpid())
        stop();
    else
        (void)state_.release(); // In a fork: not its server. NOLINT(bugprone-unused-return-value)
}

server::server(server&&) noexcept = default;

server& server::operator=(server&& other) noexcept
{
    if (this != &other) {
        if (state_)
            stop();
        state_ = std::move(other.state_);
    }
    return *this;
}

std::string server::conninfo(std::string_view database) const
{
    return socket_conninfo(state_->run.path(), state_->port, database);
}

std::string server::tcp_conninfo(std::string_view database) const
{
    if (state_->password.empty())
        throw error{
            "the embedded Postgres in " + state_->data.string() + " does not listen on TCP: " +
            (state_->wanted.tcp ? "it was made by others, so there is no password to protect "
                                  "it with; connect over its socket"
                                : "options.tcp is off")};
    return print_conninfo({{"host", "127.0.0.1"},
                           {"port", std::to_string(state_->port)},
                           {"user", "postgres"},
                           {"password", state_->password},
                           {"dbname", database},
                           // It has neither, and libpq would ask, and retry when that goes wrong.
                           {"sslmode", "disable"},
                           {"gssencmode", "disable"}});
}

const std::string& server::password() const noexcept
{
    return state_->password;
}

int server::port() const noexcept
{
    return state_->port;
}

const fs::path& server::socket_directory() const noexcept
{
    return state_->run.path();
}

const fs::path& server::data_directory() const noexcept
{
    return state_->data;
}

const fs::path& server::log_path() const noexcept
{
    return state_->log;
}

const fs::path& server::binaries() const noexcept
{
    return state_->programs.directory;
}

pid_t server::pid() const noexcept
{
    return state_->pid;
}

void server::stop()
{
    if (!state_->watched)
        return;
    try {
        state_->shut_down(SIGINT);
    }
    catch (const error&) {
        // We may not signal it any more, or its watcher is gone: the rest is done below.
        state_->pid = 0;
    }
    state_->watched.reset();
}

void server::halt()
{
    state_->shut_down(SIGINT);
}

void server::kill()
{
    state_->shut_down(SIGQUIT);
}

void server::restart()
{
    if (!state_->watched)
        throw error{
            "an embedded Postgres that was stopped for good does not restart: make a new one"};
    state_->shut_down(SIGINT);
    state_->pid = start_postmaster(*state_->watched, state_->data, state_->log, state_->port,
                                   state_->wanted.start_deadline);
    if (state_->pid == 0)
        throw error{"port " + std::to_string(state_->port) +
                    " of 127.0.0.1 was taken while the embedded Postgres was down"};
}

}

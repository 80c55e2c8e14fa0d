#pragma once

#include <cuebox/embedded/options.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace cuebox::embedded {

// A private Postgres, run from the installed server binaries. It is there when the constructor
// returns and gone when the destructor has, and it does not outlive the process that started it,
// also when that one is killed. As root it runs as an unprivileged user.
//
// Every call blocks. One thread at a time; several servers in one process are fine. A process that
// forks without exec keeps the server up until that fork has ended, too.
class server
{
public:
    // Throws cuebox::embedded::error, with the end of the server's log where that helps.
    explicit server(const options& options = {});
    static server start(const options& options) { return server{options}; }
    ~server();
    server(server&&) noexcept;
    server& operator=(server&&) noexcept;

    // For libpq, over the socket in a directory that other users cannot enter. The user is the
    // superuser `postgres`.
    std::string conninfo(std::string_view database = "postgres") const;

    // The same over 127.0.0.1, with the password. Throws when it does not listen there: options.tcp
    // is off, or the cluster was made by others and its password is not known.
    std::string tcp_conninfo(std::string_view database = "postgres") const;

    // For TCP; empty when it does not listen there. It is in no log and on no command line.
    const std::string& password() const noexcept;
    // Of TCP, and in the socket's name; the same over a restart.
    int port() const noexcept;
    const std::filesystem::path& socket_directory() const noexcept;
    const std::filesystem::path& data_directory() const noexcept;
    const std::filesystem::path& log_path() const noexcept;
    // Where initdb, postgres and mostly psql are.
    const std::filesystem::path& binaries() const noexcept;

    // The postmaster's; 0 while it is down.
    pid_t pid() const noexcept;

    // Fast shutdown, for good: a temporary cluster and the socket's directory are removed. Twice is
    // fine, and the destructor does it.
    void stop();

    // Fast shutdown, to be followed by restart().
    void halt();

    // Down at once, without a checkpoint, as after a power cut: the next start recovers.
    void kill();

    // Up again on the same directory and port, after halt(), kill() or a crash; a server that is up
    // is halted first.
    void restart();

private:
    struct state;
    std::unique_ptr<state> state_;
};

}

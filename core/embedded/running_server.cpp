#include <cuebox/embedded/cluster.hpp>
#include <cuebox/embedded/conninfo.hpp>
#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/platform.hpp>
#include <cuebox/embedded/postmaster_file.hpp>
#include <cuebox/embedded/running_server.hpp>
#include <cuebox/embedded/watcher.hpp>

#include <algorithm>
#include <system_error>

namespace cuebox::embedded {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
namespace fs = std::filesystem;

namespace {

// Between two looks at a server that is neither up nor down.
constexpr milliseconds look_again{20};

// A directory that may not be looked into is no empty one.
void check_readable(const fs::path& data)
{
    std::error_code failed;
    (void)fs::exists(data / "postmaster.pid", failed);
    if (failed == std::errc::permission_denied)
        throw error{"could not look into " + data.string() +
                    ": permission denied; run this as the owner of that directory"};
}

[[noreturn]] void refuse_foreign(const postmaster_file& file, const fs::path& data)
{
    const bool has_socket = !file.socket_directory.empty();
    const std::string host = has_socket ? file.socket_directory.string() : "localhost";
    throw error{
        data.string() + " is served by a Postgres that Cuebox did not start, with the pid " +
        std::to_string(file.pid) + ": stop that one, or connect to it as to any other, as in " +
        "--database \"" + print_conninfo({{"host", host}, {"port", std::to_string(file.port)}}) +
        " user=… dbname=…\""};
}

}

std::string running_server::conninfo(std::string_view database) const
{
    return socket_conninfo(socket_directory, port, database);
}

std::optional<running_server> find_running(const fs::path& directory, milliseconds longest)
{
    const fs::path data = whole_path(directory);
    const auto until = steady_clock::now() + longest;
    const auto left = [until] {
        return std::max(std::chrono::ceil<milliseconds>(until - steady_clock::now()),
                        milliseconds{0});
    };
    check_readable(data);
    for (auto file = read_postmaster_file(data); file; file = read_postmaster_file(data)) {
        // Before it says how it is, it may not listen yet.
        const bool early = file->status.empty();
        const bool ours = watcher::watches(file->socket_directory);
        if (is_gone(file->pid) || (!early && !serves(*file, data)))
            return std::nullopt;
        check_owner(data, server_account(data));
        if (!early && !ours)
            refuse_foreign(*file, data);
        if (file->ready())
            return running_server{.pid = file->pid,
                                  .data = data,
                                  .socket_directory = file->socket_directory,
                                  .port = file->port};
        if (left() == milliseconds{0})
            throw error{"the Postgres in " + data.string() + " with the pid " +
                        std::to_string(file->pid) + " is " + (early ? "starting" : file->status) +
                        " and takes too long: look into its log, " +
                        (data / "cuebox.log").string()};
        wait_for_end(file->pid, std::min(look_again, left()));
    }
    return std::nullopt;
}

}

#include "support/cluster.hpp"

#include "support/canary.hpp"

#include <cuebox/embedded/conninfo.hpp>
#include <cuebox/embedded/server.hpp>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace cuebox::test {

namespace {

cluster own_cluster()
{
    static const embedded::server server{{.settings = {{"fsync", "off"}, {"autovacuum", "off"}}}};
    return {.socket_directory = server.socket_directory(),
            .port = server.port(),
            .password = server.password()};
}

cluster find_cluster()
{
    if (const char* directory =
            std::getenv("CUEBOX_TEST_CLUSTERS")) // NOLINT(concurrency-mt-unsafe)
        if (const auto note =
                read_note(std::filesystem::path{directory} / std::to_string(::getppid())))
            return note->where;
    return own_cluster();
}

}

std::string cluster::conninfo(std::string_view database) const
{
    return embedded::print_conninfo({{"host", socket_directory.string()},
                                     {"port", std::to_string(port)},
                                     {"user", "postgres"},
                                     // Nobody asks for it: it is there to be kept.
                                     {"password", canary::password},
                                     {"dbname", database}});
}

std::string cluster::tcp_conninfo(std::string_view database, int through_port) const
{
    return embedded::print_conninfo(
        {{"host", "127.0.0.1"},
         {"port", std::to_string(through_port == 0 ? port : through_port)},
         {"user", "postgres"},
         {"password", password},
         {"dbname", database},
         // So that one attempt to connect is one connection, and a fault hits the session itself.
         {"sslmode", "disable"},
         {"gssencmode", "disable"}});
}

const cluster& the_cluster()
{
    static const cluster found = find_cluster();
    return found;
}

void write_note(const std::filesystem::path& path, const cluster_note& note)
{
    const auto draft = path.string() + ".new";
    std::ofstream file{draft};
    file << note.holder << '\n'
         << note.where.socket_directory.string() << '\n'
         << note.where.port << '\n'
         << note.where.password << '\n';
    file.close();
    std::filesystem::permissions(draft, std::filesystem::perms::owner_read |
                                            std::filesystem::perms::owner_write);
    std::filesystem::rename(draft, path);
}

std::optional<cluster_note> read_note(const std::filesystem::path& path)
{
    std::ifstream file{path};
    cluster_note note;
    std::string directory;
    file >> note.holder >> directory >> note.where.port >> note.where.password;
    note.where.socket_directory = directory;
    const bool left_behind = !file || ::kill(note.holder, 0) != 0;
    return left_behind ? std::nullopt : std::optional{note};
}

}

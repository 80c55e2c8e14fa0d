#include "support/pooler.hpp"

#include "support/cluster.hpp"
#include "support/psql.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <csignal>
#include <fstream>
#include <pwd.h>
#include <stdexcept>
#include <unistd.h>

namespace cuebox::test {

namespace {

namespace fs = std::filesystem;
using boost::asio::ip::tcp;

int free_port()
{
    boost::asio::io_context io;
    const tcp::acceptor acceptor{io, {boost::asio::ip::address_v4::loopback(), 0}};
    return acceptor.local_endpoint().port();
}

// PgBouncer refuses to run as root.
std::vector<std::string> arguments(const fs::path& config)
{
    std::vector<std::string> all{config.string()};
    if (geteuid() == 0)
        all.insert(all.begin(), {"-u", "postgres"});
    return all;
}

void hand_over(const fs::path& path)
{
    if (const passwd* postgres = geteuid() == 0 ? getpwnam("postgres") : nullptr)
        if (chown(path.c_str(), postgres->pw_uid, postgres->pw_gid) != 0)
            throw std::runtime_error("cannot hand " + path.string() + " over to postgres");
}

}

pooler::pooler(int server_connections)
    : directory_(fs::temp_directory_path() / ("cuebox_pooler_" + std::to_string(getpid()))),
      port_(free_port())
{
    fs::create_directories(directory_);
    const auto& behind = the_cluster();
    std::ofstream(directory_ / "pgbouncer.ini")
        << "[databases]\n* = host=" << behind.socket_directory.string() << " port=" << behind.port
        << " user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " << port_
        << "\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = "
        << server_connections << "\n";
    hand_over(directory_);
    hand_over(directory_ / "pgbouncer.ini");
    running_.emplace("/usr/sbin/pgbouncer", arguments(directory_ / "pgbouncer.ini"));

    for (const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{30};;) {
        try {
            psql(conninfo("postgres"), "select 1");
            return;
        }
        catch (const std::exception& not_yet) {
            if (std::chrono::steady_clock::now() > until)
                throw std::runtime_error("PgBouncer does not answer: " +
                                         std::string(not_yet.what()));
        }
    }
}

pooler::~pooler()
{
    running_->signal(SIGINT);
    running_.reset();
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
}

std::string pooler::conninfo(std::string_view database) const
{
    return "host=127.0.0.1 user=postgres port=" + std::to_string(port_) +
           " dbname=" + std::string(database);
}

}

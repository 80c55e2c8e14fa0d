#pragma once

#include "support/process.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cuebox::test {

// A PgBouncer in transaction mode before the cluster of the run: what a managed database often
// has in front of it.
class pooler
{
public:
    // With so many connections to the server.
    explicit pooler(int server_connections = 2);
    ~pooler();
    pooler(const pooler&) = delete;
    pooler& operator=(const pooler&) = delete;

    std::string conninfo(std::string_view database) const;

private:
    std::filesystem::path directory_;
    int port_ = 0;
    std::optional<process> running_;
};

}

#include "support/database.hpp"

#include "support/cluster.hpp"
#include "support/psql.hpp"

#include <cuebox/embedded/cluster.hpp>

#include <cstdio>
#include <exception>

namespace cuebox::test {

database::database(std::string_view copy_of)
    : name_{"test_" + embedded::new_password().substr(0, 16)}
{
    psql(the_cluster().conninfo(),
         "create database " + name_ + " template " + std::string(copy_of));
}

database::~database()
{
    try {
        psql(the_cluster().conninfo(), "drop database if exists " + name_ + " with (force)");
    }
    catch (const std::exception& failed) { // A test that broke its cluster has said so already.
        std::fprintf(stderr, "could not drop %s: %s\n", name_.c_str(), failed.what());
    }
}

std::string database::conninfo() const
{
    return the_cluster().conninfo(name_);
}

std::string database::tcp_conninfo() const
{
    return the_cluster().tcp_conninfo(name_);
}

std::string database::query(std::string_view sql) const
{
    return psql(conninfo(), sql);
}

}

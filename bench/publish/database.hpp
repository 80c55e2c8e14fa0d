#pragma once

#include "../support/child.hpp"

#include <cuebox/embedded/server.hpp>
#include <cuebox/pg/connection.hpp>

#include <cstdint>
#include <string>

namespace bench::publish {

// The one Postgres of a run, with Cuebox's schema, as a server comes: every commit is flushed.
class database
{
public:
    database();

    cuebox::pg::connect_options options() const;
    // For programs that use libpq's variables.
    environment variables() const;

    // No rows, and no checkpoint due soon: every case starts alike.
    void clear();
    std::uint64_t rows();

    // The version and what durability is set to.
    std::string settings();

private:
    cuebox::embedded::server server_;
};

// Started when it is first asked for.
database& the_database();

}

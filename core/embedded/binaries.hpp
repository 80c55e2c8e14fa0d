#pragma once

#include <filesystem>

namespace cuebox::embedded {

// The installed server binaries.
struct binaries
{
    // Holds initdb and postgres, and psql in most installations.
    std::filesystem::path directory{};
    // 15 of 15.4.
    int major = 0;
};

// From CUEBOX_POSTGRES_BINDIR if set, else `pg_config --bindir`, else the newest of
// /usr/lib/postgresql, else the PATH. Throws an error that says what to install.
binaries find_binaries();

}

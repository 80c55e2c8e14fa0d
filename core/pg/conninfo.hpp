#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuebox::pg {

struct connect_options
{
    // A URL or key=value pairs, as libpq takes them; what it leaves out comes from PGHOST and so
    // on.
    std::string conninfo{};
    // For all hosts together, and for one address of one host.
    std::chrono::milliseconds connect_deadline{10'000};
    std::chrono::milliseconds address_deadline{3'000};
    // For each statement, from its start to its last row, unless connection::deadline says
    // otherwise.
    std::chrono::milliseconds statement_deadline{30'000};
    // How many different statements are prepared; none when a transaction pooler is in between.
    std::size_t prepared_max = 256;
    // Notifications kept until someone takes them; past that the oldest are dropped: a wake is a
    // wake.
    std::size_t notifications_max = 1'024;
    // How soon a peer that went silent is found out, unless the conninfo sets libpq's own options.
    std::chrono::seconds keepalives_idle{5};
    std::chrono::seconds keepalives_interval{3};
    int keepalives_count = 3;
    std::chrono::milliseconds tcp_user_timeout{15'000};
    std::string application_name = "cuebox";
};

namespace detail {

// One place to try: what libpq calls host, hostaddr and port.
struct target
{
    std::string host{};
    std::string address{};
    std::string port{};
    std::string failure{}; // Why its name has no address.

    // A name to look up, rather than an address, a socket's path or nothing at all.
    bool needs_lookup() const;
    // "db.example:5432", for messages.
    std::string describe() const;
};

// A conninfo taken apart: the targets, and all else as libpq's keywords and values.
struct conninfo
{
    std::vector<target> targets{};
    std::vector<std::pair<std::string, std::string>> settings{};

    const std::string* find(std::string_view key) const;
    void set_default(std::string_view key, std::string value);
};

// Reads the conninfo, fills in the defaults, and adds the options' settings where it has none.
// Throws pg::error(errc::connect) that never repeats the text, which may hold a password.
conninfo parse_conninfo(const connect_options& options);

}

// Where a conninfo leads, in words without its password: "shop on db.example:5432 as app".
std::string describe_database(std::string_view conninfo);

}

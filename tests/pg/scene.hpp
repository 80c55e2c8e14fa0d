#pragma once

#include "refusal.hpp"
#include "stage.hpp"
#include "support/cluster.hpp"
#include "support/database.hpp"
#include "support/psql.hpp"

#include <cuebox/embedded/cluster.hpp>
#include <cuebox/pg/connection.hpp>

namespace cuebox::pg::test {

// Asks until it is so; each question takes its time, so there is nothing to sleep for.
template <class Predicate>
bool eventually(Predicate holds, std::chrono::seconds within = std::chrono::seconds(30))
{
    const auto deadline = clock::now() + within;
    while (!holds())
        if (clock::now() > deadline)
            return false;
    return true;
}

// A stage with a schema of its own in the cluster's database, which is quicker made than a database
// of its own, and a name that its connections go by.
class scene : public stage
{
public:
    scene() : scene("postgres") {}
    ~scene()
    {
        if (database_ == "postgres")
            see("drop schema if exists " + name_ + " cascade");
    }

    connect_options options() const { return {.conninfo = conninfo(database_, 0) + names()}; }
    // Over TCP, through a gate.
    connect_options options_by(int port) const
    {
        return {.conninfo = conninfo(database_, port) + names()};
    }
    connection open() { return run(connect(options())); }

    // With other eyes.
    std::string see(std::string_view sql) const
    {
        return cuebox::test::psql(conninfo(database_, 0) + search_path(), sql);
    }

    // How many of them are asleep, by pg_sleep.
    int napping() const { return std::stoi(see(count("wait_event = 'PgSleep'"))); }
    bool waiting_for_lock() const { return see(count("wait_event_type = 'Lock'")) != "0"; }
    // How many connections of this test the server has.
    int backends() const { return std::stoi(see(count("true"))); }
    // Whether one of them runs such a statement.
    bool running(std::string_view part) const
    {
        return see(count("state = 'active' and query like '%" + std::string(part) + "%'")) != "0";
    }

protected:
    explicit scene(std::string database)
        : database_(std::move(database)),
          name_("test_" + embedded::new_password().substr(0, 16))
    {
        cuebox::test::psql(conninfo(database_, 0), "create schema " + name_);
    }

private:
    static std::string conninfo(const std::string& database, int port)
    {
        const auto& cluster = cuebox::test::the_cluster();
        return port ? cluster.tcp_conninfo(database, port) : cluster.conninfo(database);
    }
    std::string search_path() const { return " options='-c search_path=" + name_ + "'"; }
    std::string names() const { return search_path() + " application_name=" + name_; }
    std::string count(const std::string& which) const
    {
        return "select count(*) from pg_stat_activity where application_name = '" + name_ +
               "' and " + which;
    }

    std::string database_;
    std::string name_;
};

// With a database of its own, for what a schema does not separate, such as channels.
class own_database
{
protected:
    cuebox::test::database owned_;
};
class database_scene : private own_database, public scene
{
public:
    database_scene() : scene(owned_.name()) {}
};

}

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cuebox::test {

// Where the Postgres of this test run is.
struct cluster
{
    std::filesystem::path socket_directory{};
    int port = 0;
    std::string password{};

    // Over the socket.
    std::string conninfo(std::string_view database = "postgres") const;
    // Over TCP, through another port if a gate stands before the server.
    std::string tcp_conninfo(std::string_view database = "postgres", int through_port = 0) const;
};

// The one that ctest's fixture has started for all tests of the run; in a test program run by hand,
// one of its own, started at the first call and stopped with the program. Durability is off.
const cluster& the_cluster();

// The note by which the fixture tells the tests of a run, which all are children of the same ctest.
struct cluster_note
{
    int holder = 0;
    cluster where{};
};
void write_note(const std::filesystem::path& path, const cluster_note& note);
std::optional<cluster_note> read_note(const std::filesystem::path& path);

}

#include <cuebox/embedded/platform.hpp>
#include <cuebox/embedded/postmaster_file.hpp>

#include <array>
#include <charconv>
#include <fstream>
#include <system_error>

namespace cuebox::embedded {

namespace fs = std::filesystem;

namespace {

int number_in(const std::string& line)
{
    int number = 0;
    std::from_chars(line.data(), line.data() + line.size(), number);
    return number;
}

}

fs::path postmaster_file::socket() const
{
    return socket_directory / (".s.PGSQL." + std::to_string(port));
}

std::optional<postmaster_file> read_postmaster_file(const fs::path& data)
{
    std::ifstream file{data / "postmaster.pid"};
    std::array<std::string, 8> lines;
    for (std::string& line : lines)
        std::getline(file, line);
    postmaster_file found{.pid = number_in(lines[0]),
                          .data = lines[1],
                          .port = number_in(lines[3]),
                          .socket_directory = lines[4],
                          // Padded with blanks, so that each overwrites the one before.
                          .status = lines[7].substr(0, lines[7].find(' '))};
    return found.pid > 0 ? std::optional(found) : std::nullopt;
}

bool serves(const postmaster_file& file, const fs::path& data)
{
    std::error_code none;
    return fs::equivalent(file.data, data, none) && listener_is(file.socket(), file.pid);
}

}

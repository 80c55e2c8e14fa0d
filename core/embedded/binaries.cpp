#include <cuebox/embedded/binaries.hpp>
#include <cuebox/embedded/child.hpp>
#include <cuebox/embedded/error.hpp>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <unistd.h>

namespace cuebox::embedded {

namespace {

namespace fs = std::filesystem;

constexpr const char* variable = "CUEBOX_POSTGRES_BINDIR";

std::string variable_or_empty(const char* name)
{
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value ? value : "";
}

bool is_program(const fs::path& path)
{
    std::error_code none;
    return fs::is_regular_file(path, none) && ::access(path.c_str(), X_OK) == 0;
}

bool is_complete(const fs::path& directory)
{
    return directory.is_absolute() && is_program(directory / "initdb") &&
           is_program(directory / "postgres");
}

// The first directory of the PATH for which this holds.
template <class Predicate>
fs::path on_path(Predicate holds)
{
    std::istringstream path{variable_or_empty("PATH")};
    for (std::string directory; std::getline(path, directory, ':');)
        if (holds(fs::path{directory}))
            return directory;
    return {};
}

fs::path told_by_pg_config()
{
    const auto directory = on_path(
        [](const fs::path& each) { return each.is_absolute() && is_program(each / "pg_config"); });
    if (directory.empty())
        return {};
    auto told = capture({(directory / "pg_config").string(), "--bindir"}).output;
    told.erase(told.find_last_not_of("\r\n") + 1);
    return told;
}

std::optional<int> leading_number(std::string_view text)
{
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc{} ? std::optional{number} : std::nullopt;
}

fs::path newest_of_debian()
{
    std::error_code none;
    fs::path newest;
    int newest_version = -1;
    for (const auto& each : fs::directory_iterator{"/usr/lib/postgresql", none}) {
        const int version = leading_number(each.path().filename().string()).value_or(-1);
        if (version > newest_version && is_complete(each.path() / "bin")) {
            newest = each.path() / "bin";
            newest_version = version;
        }
    }
    return newest;
}

fs::path directory_of_binaries()
{
    if (const auto set = variable_or_empty(variable); !set.empty()) {
        const auto told = fs::absolute(set);
        if (is_complete(told))
            return told;
        throw error{std::string{variable} + " is " + told.string() +
                    ", but there is no initdb and postgres: point it at the bin directory of a "
                    "PostgreSQL server, or unset it"};
    }
    for (const auto find : {&told_by_pg_config, &newest_of_debian})
        if (const auto found = find(); is_complete(found))
            return found;
    if (const auto found = on_path(is_complete); !found.empty())
        return found;
    throw error{
        std::string{"no PostgreSQL server is installed here (looked for initdb and "
                    "postgres): install it, on Debian with 'apt-get install postgresql-15', "
                    "elsewhere your system's PostgreSQL server package, or set "} +
        variable + " to its bin directory"};
}

// "postgres (PostgreSQL) 15.4 (Debian 15.4-1)" says 15.
int major_version(const fs::path& directory)
{
    const auto program = (directory / "postgres").string();
    const auto said = capture({program, "--version"}).output;
    const std::string_view marker = "(PostgreSQL) ";
    if (const auto at = said.find(marker); at != std::string::npos)
        if (const auto major = leading_number(std::string_view{said}.substr(at + marker.size())))
            return *major;
    throw error{program + " --version does not say which PostgreSQL it is: '" + said + "'"};
}

}

binaries find_binaries()
{
    const auto directory = directory_of_binaries();
    return {.directory = directory, .major = major_version(directory)};
}

}

#include <cuebox/embedded/cluster.hpp>
#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/platform.hpp>

#include <array>
#include <cerrno>
#include <fstream>
#include <sys/random.h>
#include <sys/stat.h>
#include <system_error>
#include <vector>

namespace cuebox::embedded {

namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path)
{
    std::ifstream file{path};
    std::string line;
    std::getline(file, line);
    return line;
}

// Outermost first.
std::vector<fs::path> missing_directories(fs::path path)
{
    std::vector<fs::path> missing;
    std::error_code none;
    for (; !path.empty() && !fs::exists(path, none); path = path.parent_path())
        missing.insert(missing.begin(), path);
    return missing;
}

void check_way(const fs::path& path, const account& account)
{
    if (!account.change)
        return;
    if (const auto closed = obstacle(path, account).string(); !closed.empty())
        throw error{"as root the embedded Postgres runs as the user " + account.name +
                    ", who cannot enter " + closed + ": take a directory elsewhere, or chmod o+x " +
                    closed};
}

}

fs::path whole_path(const fs::path& path)
{
    std::error_code failed;
    auto whole = fs::weakly_canonical(fs::absolute(path), failed);
    if (failed)
        whole = fs::absolute(path).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
}

void check_owner(const fs::path& data, const account& account)
{
    struct stat status{};
    if (::stat(data.c_str(), &status) == 0 && status.st_uid == account.uid)
        return;
    if (account.change)
        throw error{data.string() + " is a cluster owned by root, and Postgres does not run as " +
                    "root: chown -R " + account.name + " it, or take another directory"};
    throw error{data.string() + " belongs to another user than " + account.name +
                ": take another directory, or run this as its owner"};
}

bool inspect(const fs::path& data, const binaries& binaries, const account& account)
{
    std::error_code failed;
    const auto kind = fs::status(data, failed).type();
    if (kind == fs::file_type::not_found)
        return false;
    if (kind != fs::file_type::directory)
        throw error{data.string() +
                    (failed ? " cannot be looked at: " + failed.message() : " is not a directory") +
                    ": take a directory for the embedded Postgres"};

    const bool empty = fs::is_empty(data, failed);
    if (failed)
        throw error{"could not look into " + data.string() + ": " + failed.message()};
    if (empty) {
        if (!account.change) // Otherwise we are root, and hand it over.
            check_owner(data, account);
        return false;
    }
    if (!fs::exists(data / "PG_VERSION"))
        throw error{data.string() +
                    " is neither empty nor a Postgres cluster: take an empty or new "
                    "directory"};
    check_owner(data, account);
    const auto version = first_line(data / "PG_VERSION");
    const auto ours = std::to_string(binaries.major);
    if (version != ours)
        throw error{data.string() + " is a cluster of PostgreSQL " + version + ", but " +
                    binaries.directory.string() + " has PostgreSQL " + ours + ": install version " +
                    version + " and set CUEBOX_POSTGRES_BINDIR to its bin " +
                    "directory, or take another directory"};
    return true;
}

void make_home(const fs::path& data, const account& account)
{
    const auto missing = missing_directories(data);
    check_way(missing.empty() ? data : missing.front(), account);
    std::error_code failed;
    fs::create_directories(data, failed);
    if (failed)
        throw error{"could not make the directory " + data.string() + ": " + failed.message()};
    try {
        check_way(data, account); // Ours may be closed, too: that is what a strict umask does.
        give(data, account);
        fs::permissions(data, fs::perms::owner_all);
    }
    catch (...) {
        for (auto made = missing.rbegin(); made != missing.rend(); ++made)
            fs::remove(*made, failed);
        throw;
    }
}

std::string stored_password(const fs::path& data)
{
    return first_line(data / password_file);
}

std::string new_password()
{
    std::array<unsigned char, 20> random{};
    if (::getentropy(random.data(), random.size()) != 0)
        throw_system_error("get random bytes for a password", errno);
    std::string text;
    for (const auto byte : random) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::string cluster_locale()
{
    return has_locale("C.UTF-8") ? "C.UTF-8" : "C";
}

}

#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/platform.hpp>
#include <cuebox/embedded/run_directory.hpp>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace cuebox::embedded {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view pattern = "cuebox-XXXXXX";

// The shortest limit on a socket's path among the systems we know is macOS's 104, with its end.
bool fits_a_socket(const fs::path& base)
{
    return base.string().size() + 1 + pattern.size() + std::string{"/.s.PGSQL.65535.lock"}.size() <
           104;
}

fs::path base_directory(const account& owner)
{
    const char* told = std::getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe)
    if (const fs::path base = told ? told : ""; base.is_absolute() && fits_a_socket(base)) {
        // The watcher removes it as the server's user, so that one must be able to write there:
        // asked of a name below it, the base itself is among what has to be passed.
        std::error_code none;
        const auto others_write = fs::status(base, none).permissions() & fs::perms::others_write;
        const bool writable = !owner.change || others_write != fs::perms::none;
        if (fs::is_directory(base, none) && writable && obstacle(base / "x", owner).empty())
            return base;
    }
    return "/tmp";
}

}

run_directory::run_directory(const account& owner) : owner_{owner}
{
    auto name = (base_directory(owner) / pattern).string();
    if (!::mkdtemp(name.data()))
        throw_system_error("make a directory " + name, errno);
    path_ = name;
    try {
        give(path_, owner_);
    }
    catch (...) {
        fs::remove(path_);
        throw;
    }
}

run_directory::~run_directory()
{
    std::error_code none;
    fs::remove_all(path_, none);
}

void run_directory::write(std::string_view name, std::string_view text) const
{
    const auto path = path_ / name;
    const descriptor file{
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!file.open() ||
        ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw_system_error("write " + path.string(), errno);
    give(file.get(), path, owner_);
}

}

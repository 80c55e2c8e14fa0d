#include <cuebox/embedded/account.hpp>
#include <cuebox/embedded/child.hpp>
#include <cuebox/embedded/error.hpp>

#include <cerrno>
#include <optional>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace cuebox::embedded {

namespace {

template <class Lookup>
std::optional<account> look_up(Lookup lookup)
{
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> space(16384);
    lookup(&entry, space.data(), space.size(), &found);
    if (!found)
        return std::nullopt;
    return account{
        .name = found->pw_name, .uid = found->pw_uid, .gid = found->pw_gid, .change = false};
}

std::optional<account> by_name(const char* name)
{
    return look_up([name](passwd* entry, char* space, std::size_t size, passwd** found) {
        ::getpwnam_r(name, entry, space, size, found);
    });
}

std::optional<account> by_uid(uid_t uid)
{
    return look_up([uid](passwd* entry, char* space, std::size_t size, passwd** found) {
        ::getpwuid_r(uid, entry, space, size, found);
    });
}

}

account server_account(const std::filesystem::path& data)
{
    if (::geteuid() != 0) {
        const auto self = by_uid(::geteuid());
        return {.name = self ? self->name : std::to_string(::geteuid()),
                .uid = ::geteuid(),
                .gid = ::getegid(),
                .change = false};
    }
    struct stat status{};
    if (!data.empty() && ::stat(data.c_str(), &status) == 0 && status.st_uid != 0) {
        const auto owner = by_uid(status.st_uid);
        return {.name = owner ? owner->name : std::to_string(status.st_uid),
                .uid = status.st_uid,
                .gid = owner ? owner->gid : status.st_gid,
                .change = true};
    }
    for (const char* name : {"postgres", "nobody"})
        if (auto found = by_name(name); found && found->uid != 0) {
            found->change = true;
            return *found;
        }
    throw error{"Postgres does not run as root and there is neither a user postgres nor nobody: "
                "create one, or run this as an ordinary user"};
}

void give(const std::filesystem::path& path, const account& to)
{
    if (to.change && ::lchown(path.c_str(), to.uid, to.gid) != 0)
        throw_system_error("give " + path.string() + " to the user " + to.name, errno);
}

void give(int file, const std::filesystem::path& path, const account& to)
{
    if (to.change && ::fchown(file, to.uid, to.gid) != 0)
        throw_system_error("give " + path.string() + " to the user " + to.name, errno);
}

std::filesystem::path obstacle(const std::filesystem::path& path, const account& account)
{
    // Asked of the system rather than worked out from modes: there are access lists, too.
    std::vector<std::string> arguments{
        "/bin/sh", "-c", R"(for d; do [ -x "$d" ] || { printf %s "$d"; exit 1; }; done)", "sh"};
    std::filesystem::path above;
    for (const auto& part : path.parent_path())
        arguments.push_back((above /= part).string());
    return capture(arguments, &account).output;
}

}

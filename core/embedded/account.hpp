#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace cuebox::embedded {

// Whom the server runs as. Postgres refuses to run as root.
struct account
{
    std::string name{};
    uid_t uid = 0;
    gid_t gid = 0;
    // Whether a child has to change to it; otherwise it is who we are already.
    bool change = false;
};

// Who we are; as root the owner of `data` if it exists and is not root's, else postgres, else
// nobody. Empty `data`: a temporary cluster.
account server_account(const std::filesystem::path& data);

// Hands a file or directory over, if the account is not ours.
void give(const std::filesystem::path& path, const account& to);
// The same for an open file, by its descriptor: what its name stands for meanwhile does not matter,
// in a directory that others write to.
void give(int file, const std::filesystem::path& path, const account& to);

// The first of the directories above `path` that the account cannot pass, empty if none.
std::filesystem::path obstacle(const std::filesystem::path& path, const account& account);

}

#pragma once

#include <cuebox/embedded/account.hpp>
#include <cuebox/embedded/binaries.hpp>

#include <filesystem>
#include <string>

namespace cuebox::embedded {

// Absolute, without links and a slash at its end.
std::filesystem::path whole_path(const std::filesystem::path& path);

// Throws an error when a directory that exists is not the account's.
void check_owner(const std::filesystem::path& data, const account& account);

// Whether there is a cluster already. Throws an error that says what is wrong with the directory:
// not one, not empty and no cluster, a cluster of another major version, or not the account's.
bool inspect(const std::filesystem::path& data, const binaries& binaries, const account& account);

// Makes the directory for a new cluster and hands it over; throws if the account cannot get there.
void make_home(const std::filesystem::path& data, const account& account);

// Beside the data a cluster of ours keeps the password for TCP, as well guarded as the data. A
// cluster made by others has none: empty.
std::string stored_password(const std::filesystem::path& data);
inline constexpr const char* password_file = "cuebox.password";

// 160 random bits, in letters that need no quoting anywhere.
std::string new_password();

// The locale of new clusters: C.UTF-8, which sorts bytes and knows letters, where the system has
// it.
std::string cluster_locale();

}

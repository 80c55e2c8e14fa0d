#pragma once

#include <cuebox/embedded/account.hpp>

#include <filesystem>
#include <string_view>

namespace cuebox::embedded {

// The private directory of one server: its socket, who may connect, and a temporary cluster's data.
// Mode 0700 and the server's own, which is what keeps other users away from the socket. Removed
// with the object, unless the watcher has taken that over.
class run_directory
{
public:
    // In TMPDIR, or in /tmp when that is too long for a socket or closed to the account.
    explicit run_directory(const account& owner);
    ~run_directory();
    run_directory(const run_directory&) = delete;
    run_directory& operator=(const run_directory&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }

    // A new file of the server's, mode 0600.
    void write(std::string_view name, std::string_view text) const;

private:
    std::filesystem::path path_;
    account owner_;
};

}

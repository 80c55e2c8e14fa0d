#pragma once

#include <cuebox/embedded/running_server.hpp>
#include <cuebox/embedded/server.hpp>

namespace cuebox::embedded {

// A server for several processes: the one that comes first starts it, and those that come while it
// runs join. It stays with the first one, and stops with that. A temporary server, without a
// directory, is never shared.
class shared_server
{
public:
    // Waits for a server that is starting or stopping. The options are those of a server that is
    // started here; one that runs has its own. Throws cuebox::embedded::error.
    explicit shared_server(const options& options);

    // As server::conninfo.
    std::string conninfo(std::string_view database = "postgres") const;

    // The server of another process; null when it is our own.
    const running_server* joined() const noexcept { return joined_ ? &*joined_ : nullptr; }

private:
    std::optional<server> own_;
    std::optional<running_server> joined_;
};

}

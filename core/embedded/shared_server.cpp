#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/shared_server.hpp>

namespace cuebox::embedded {

shared_server::shared_server(const options& options)
{
    // The server of another process may come up, or go, between the look and the start, and then
    // the next look tells. What stays in use, and cannot be joined, is so for another reason.
    constexpr int tries_max = 50;
    for (int tries = 1; !own_ && !joined_; ++tries) {
        if (!options.directory.empty())
            joined_ = find_running(options.directory, options.start_deadline);
        if (joined_)
            return;
        try {
            own_.emplace(options);
        }
        catch (const in_use&) {
            if (tries == tries_max)
                throw;
        }
    }
}

std::string shared_server::conninfo(std::string_view database) const
{
    return own_ ? own_->conninfo(database) : joined_->conninfo(database);
}

}

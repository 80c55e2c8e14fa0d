#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/shared_server.hpp>

namespace cuebox::embedded {

using std::chrono::steady_clock;

shared_server::shared_server(const options& options)
{
    // The server of another process may come up, or go, between the look and the start, and then
    // the next look tells. What is in use for longer than that is so for another reason.
    const auto until = steady_clock::now() + std::chrono::seconds{5};
    while (!own_ && !joined_) {
        if (!options.directory.empty())
            joined_ = find_running(options.directory, options.start_deadline);
        if (joined_)
            return;
        try {
            own_.emplace(options);
        }
        catch (const in_use&) {
            if (steady_clock::now() >= until)
                throw;
        }
    }
}

std::string shared_server::conninfo(std::string_view database) const
{
    return own_ ? own_->conninfo(database) : joined_->conninfo(database);
}

}

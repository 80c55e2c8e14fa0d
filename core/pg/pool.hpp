#pragma once

#include <cuebox/pg/connection.hpp>
#include <cuebox/pg/pool_policy.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

namespace cuebox::pg {

struct pool_options
{
    connect_options connect{};
    pool_rules rules{};
    // How long borrow() waits for a free connection, opening one included.
    std::chrono::milliseconds borrow_deadline{10'000};
    // How long the check of an idle connection may take, within borrow_deadline.
    std::chrono::milliseconds check_deadline{1'000};
};

// A bounded number of connections, opened when needed and lent in the order of asking. It lives on
// one sequential executor, as do its connections and those who borrow them.
class pool
{
    struct state;
    struct place;

public:
    // A borrowed connection goes back when this is dropped; one that is broken, inside a
    // transaction, listening or being cancelled is closed instead, and its place given to the next.
    // What was SET for the session stays set: use SET LOCAL.
    class borrowed
    {
    public:
        borrowed(borrowed&&) noexcept;
        borrowed& operator=(borrowed&&) noexcept;
        ~borrowed();

        connection& operator*() noexcept { return *connection_; }
        connection* operator->() noexcept { return &*connection_; }

    private:
        friend class pool;
        borrowed(std::shared_ptr<state> owner, connection lent, clock::time_point opened);
        void give_back();

        std::shared_ptr<state> owner_;
        std::optional<connection> connection_;
        clock::time_point opened_;
    };

    explicit pool(pool_options options);
    // Closes the idle connections; borrowed ones are closed when they come back.
    ~pool();
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    // errc::exhausted when none became free in time, errc::connect when none could be opened.
    awaitable<borrowed> borrow();
    // Opens connections until so many are open, at most the pool's size: a service that warms its
    // pool before it takes work keeps no caller waiting for them. Throws as borrow() does.
    awaitable<void> warm(std::size_t count);

    // Closes idle connections and refuses to lend more: those who wait get errc::exhausted.
    void close();

    // How its connections are made.
    const connect_options& connects() const noexcept;

    std::size_t open() const noexcept; // Borrowed and idle.
    std::size_t idle() const noexcept;
    std::size_t waiting() const noexcept;

private:
    std::shared_ptr<state> state_;
};

}

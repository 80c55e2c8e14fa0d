#include <cuebox/pg/pool.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <deque>
#include <list>
#include <vector>

namespace cuebox::pg {

namespace {

constexpr statement check_statement{.name = "pool check", .sql = "select 1"};

struct idle_connection
{
    connection held;
    clock::time_point opened;
    clock::time_point since;
};

// Someone who waits: a place in the pool is handed over directly, so nobody can slip in between.
struct waiter
{
    waiter(const asio::any_io_executor& executor, std::list<waiter*>& among)
        : timer(executor),
          among(among),
          place(among.insert(among.end(), this))
    {}
    // Also when its coroutine is destroyed while it waits, with the io_context it ran on.
    ~waiter()
    {
        if (!granted)
            among.erase(place);
    }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

    asio::steady_timer timer;
    std::list<waiter*>& among;
    std::list<waiter*>::iterator place;
    bool granted = false; // And no longer in the list.
};

[[noreturn]] void refuse(std::string_view why)
{
    throw error(errc::exhausted, "", "no database connection became free: " + std::string(why));
}

// Nothing when it still works, else what is wrong with it.
awaitable<std::optional<errc>> fault_of(connection& held, std::chrono::nanoseconds within)
{
    const auto usual = held.deadline();
    std::optional<errc> fault;
    held.set_deadline(within);
    try {
        co_await held.execute(check_statement);
    }
    catch (const error& failure) {
        fault = failure.code();
    }
    held.set_deadline(usual);
    co_return fault;
}

}

// A place is the right to hold one connection; there are rules.size of them. Who holds one takes an
// idle connection, and opens a new one only when there is none idle: so no more are ever open.
struct pool::state
{
    explicit state(pool_options given) : options(std::move(given)) {}

    // Waits for a place.
    static awaitable<void> enter(std::shared_ptr<state> self, clock::time_point deadline);
    // An idle connection that is good to be lent, for who holds a place; none when there is none.
    static awaitable<std::optional<idle_connection>> find_idle(std::shared_ptr<state> self,
                                                               clock::time_point deadline);
    void leave();

    pool_options options;
    std::deque<idle_connection> idle; // The most recently used last.
    std::list<waiter*> waiters;
    std::size_t places_taken = 0;
    bool closed = false;
};

awaitable<void> pool::state::enter(std::shared_ptr<state> self, clock::time_point deadline)
{
    if (self->closed)
        refuse("the pool is closed");
    if (self->places_taken < self->options.rules.size && self->waiters.empty()) {
        ++self->places_taken;
        co_return;
    }
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    waiter own(executor, self->waiters);
    own.timer.expires_at(deadline);
    const auto [ended] = co_await own.timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (own.granted) {
        const auto cancelled = co_await asio::this_coro::cancellation_state;
        if (cancelled.cancelled() == asio::cancellation_type::none)
            co_return;
        self->leave();
        throw boost::system::system_error(asio::error::operation_aborted);
    }
    if (self->closed)
        refuse("the pool was closed");
    if (ended)
        throw boost::system::system_error(ended); // Cancelled.
    refuse("all " + std::to_string(self->options.rules.size) + " are in use after " +
           std::to_string(self->options.borrow_deadline.count()) +
           " ms: give them back sooner or raise the pool's size");
}

awaitable<std::optional<idle_connection>> pool::state::find_idle(std::shared_ptr<state> self,
                                                                 clock::time_point deadline)
{
    bool silent = false; // One did not answer: the others would not either, each in its time.
    while (!self->idle.empty()) {
        idle_connection candidate = std::move(self->idle.back());
        self->idle.pop_back();
        const auto now = clock::now();
        const auto verdict = detail::when_lent({.broken = candidate.held.broken(),
                                                .in_transaction = candidate.held.in_transaction(),
                                                .age = now - candidate.opened,
                                                .idle = now - candidate.since},
                                               self->options.rules);
        if (verdict == detail::verdict::use)
            co_return candidate;
        if (verdict == detail::verdict::discard || silent)
            continue;
        const std::chrono::nanoseconds within =
            std::min<std::chrono::nanoseconds>(self->options.check_deadline, deadline - now);
        const std::optional<errc> fault = co_await fault_of(candidate.held, within);
        if (self->closed)
            refuse("the pool was closed");
        if (!fault)
            co_return candidate;
        silent = fault == errc::timed_out;
    }
    co_return std::nullopt;
}

void pool::state::leave()
{
    if (waiters.empty() || closed) {
        --places_taken;
        return;
    }
    waiter* next = waiters.front(); // The place passes on.
    waiters.pop_front();
    next->granted = true;
    next->timer.cancel();
}

// Gives a place back unless a borrowed connection has taken it over.
struct pool::place
{
    explicit place(std::shared_ptr<state> in) : in(std::move(in)) {}
    ~place()
    {
        if (in)
            in->leave();
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

    std::shared_ptr<state> in;
};

pool::pool(pool_options options) : state_(std::make_shared<state>(std::move(options))) {}

const connect_options& pool::connects() const noexcept
{
    return state_->options.connect;
}

pool::~pool()
{
    close();
}

awaitable<pool::borrowed> pool::borrow()
{
    const auto self = state_;
    const auto deadline = clock::now() + self->options.borrow_deadline;
    co_await state::enter(self, deadline);
    place held(self);
    if (self->closed)
        refuse("the pool was closed");

    std::optional<idle_connection> found = co_await state::find_idle(self, deadline);
    if (found) {
        held.in.reset();
        co_return borrowed(self, std::move(found->held), found->opened);
    }
    connect_options options = self->options.connect;
    options.connect_deadline =
        std::min(options.connect_deadline,
                 std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()));
    connection opened = co_await connect(std::move(options));
    if (self->closed)
        refuse("the pool was closed");
    held.in.reset();
    co_return borrowed(self, std::move(opened), clock::now());
}

awaitable<void> pool::warm(std::size_t count)
{
    // All are held until the last one is there, or the first would be lent over and over.
    std::vector<borrowed> held;
    while (open() < std::min(count, state_->options.rules.size)) {
        auto next = co_await borrow();
        held.push_back(std::move(next));
    }
}

void pool::close()
{
    state_->closed = true;
    state_->idle.clear();
    for (waiter* each : state_->waiters)
        each->timer.cancel();
}

std::size_t pool::open() const noexcept
{
    return state_->places_taken + state_->idle.size();
}

std::size_t pool::idle() const noexcept
{
    return state_->idle.size();
}

std::size_t pool::waiting() const noexcept
{
    return state_->waiters.size();
}

pool::borrowed::borrowed(std::shared_ptr<state> owner, connection lent, clock::time_point opened)
    : owner_(std::move(owner)),
      connection_(std::move(lent)),
      opened_(opened)
{}

pool::borrowed::borrowed(borrowed&&) noexcept = default;

pool::borrowed& pool::borrowed::operator=(borrowed&& other) noexcept
{
    if (this != &other) {
        give_back();
        owner_ = std::move(other.owner_);
        connection_ = std::move(other.connection_);
        opened_ = other.opened_;
    }
    return *this;
}

pool::borrowed::~borrowed()
{
    give_back();
}

void pool::borrowed::give_back()
{
    if (!owner_)
        return;
    const auto now = clock::now();
    const auto verdict = detail::when_returned({.broken = connection_->broken(),
                                                .in_transaction = connection_->in_transaction(),
                                                .listening = connection_->listening(),
                                                .cancelling = !connection_->retire_cancellers(),
                                                .age = now - opened_},
                                               owner_->options.rules);
    connection_->set_deadline(owner_->options.connect.statement_deadline);
    if (verdict == detail::verdict::use && !owner_->closed)
        owner_->idle.push_back({.held = std::move(*connection_), .opened = opened_, .since = now});
    connection_.reset();
    owner_->leave();
    owner_.reset();
}

}

#include <cuebox/asio/blocking_threads.hpp>
#include <cuebox/asio/lookup.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <mutex>
#include <netdb.h>
#include <optional>
#include <sys/socket.h>

namespace cuebox::detail {

namespace asio = boost::asio;

namespace {

// Never destroyed: threads may still run.
blocking_threads& lookup_threads()
{
    static auto& threads = *new blocking_threads({.threads = 16, .waiting = 1'000});
    return threads;
}

}

// Between the coroutine that waits and the thread that looks up. That cannot be interrupted, so it
// may end when the coroutine has gone, and its io_context, too: `waiting` tells, under the lock.
class lookup::question : public std::enable_shared_from_this<question>
{
public:
    // By the thread.
    void answer(lookup_result found)
    {
        const std::lock_guard lock(mutex_);
        found_ = std::move(found);
        if (waiting_)
            asio::post(waiting_->get_executor(), [self = shared_from_this()] { self->wake(); });
    }

    // By the coroutine, for as long as the timer is there. False when there is an answer already.
    bool expect(asio::steady_timer* waiting)
    {
        const std::lock_guard lock(mutex_);
        waiting_ = waiting;
        return !found_;
    }

    std::optional<lookup_result> take()
    {
        const std::lock_guard lock(mutex_);
        return std::move(found_);
    }

private:
    void wake()
    {
        const std::lock_guard lock(mutex_);
        if (waiting_)
            waiting_->cancel();
    }

    std::mutex mutex_;
    std::optional<lookup_result> found_;
    asio::steady_timer* waiting_ = nullptr;
};

// In the coroutine, also when that is destroyed while it waits.
class lookup::expectation
{
public:
    expectation(question& of, asio::steady_timer& waiting) : of_(of), open_(of.expect(&waiting)) {}
    ~expectation() { of_.expect(nullptr); }
    expectation(const expectation&) = delete;
    expectation& operator=(const expectation&) = delete;

    bool open() const noexcept { return open_; }

private:
    question& of_;
    bool open_;
};

lookup_result look_up(const std::string& host)
{
    lookup_result result;
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    if (const int failed = ::getaddrinfo(host.c_str(), nullptr, &wanted, &first)) {
        result.failure = ::gai_strerror(failed);
        return result;
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(first, ::freeaddrinfo);
    for (const addrinfo* each = found.get(); each; each = each->ai_next) {
        char text[NI_MAXHOST];
        if (::getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof text, nullptr, 0,
                          NI_NUMERICHOST) == 0)
            result.addresses.emplace_back(text);
    }
    return result;
}

lookup::lookup(const std::string& host, function how) : asked_(std::make_shared<question>())
{
    const auto job = [weak = std::weak_ptr(asked_), host, how = std::move(how)] {
        try {
            if (weak.expired()) // Nobody waits any more.
                return;
            auto found = how(host);
            if (const auto asked = weak.lock())
                asked->answer(std::move(found));
        }
        catch (const std::exception&) {
            return; // No memory for an answer: the time of who waits will be up.
        }
    };
    if (!lookup_threads().run(job))
        asked_->answer({.addresses = {}, .failure = "too many names are being looked up"});
}

asio::awaitable<lookup_result> lookup::answer(std::chrono::steady_clock::time_point until) const
{
    return await_answer(asked_, until);
}

asio::awaitable<lookup_result> lookup::await_answer(std::shared_ptr<question> asked,
                                                    std::chrono::steady_clock::time_point until)
{
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, until);
    const expectation waiting(*asked, timer);
    boost::system::error_code ended;
    if (waiting.open()) {
        const auto [how] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        ended = how;
    }
    auto found = asked->take();
    if (!found && ended)
        throw boost::system::system_error(ended); // The waiter itself was cancelled.
    if (!found)
        found.emplace().failure = "no answer in time";
    co_return std::move(*found);
}

}

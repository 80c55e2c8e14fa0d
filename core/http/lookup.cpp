#include <cuebox/http/lookup.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <atomic>
#include <csignal>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <optional>
#include <sys/socket.h>

namespace cuebox::http {

namespace {

constexpr std::size_t threads_max = 8;
// Those that run and those that wait for a thread.
constexpr std::size_t lookups_max = 256;

std::atomic<std::size_t> lookups_now{0};

// Never destroyed: a look-up that hangs must not hold up the end of the process.
asio::thread_pool& lookup_threads()
{
    static auto& threads = *[] {
        sigset_t all; // Signals are for the program's own threads.
        sigset_t before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        auto* made = new asio::thread_pool(threads_max);
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return made;
    }();
    return threads;
}

// Between the coroutine that waits and the thread that looks up, which may end when the coroutine
// has gone, and its io_context, too: `waiting` tells, under the lock.
class question : public std::enable_shared_from_this<question>
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
class expectation
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

void look_up_for(const std::weak_ptr<question>& asked, const std::string& host,
                 const std::function<lookup_result(const std::string&)>& how)
{
    try {
        if (asked.expired()) // Nobody waits any more.
            return;
        auto found = how(host);
        if (const auto question = asked.lock())
            question->answer(std::move(found));
    }
    catch (const std::exception&) {
        return; // No memory for an answer: the time of who waits will be up.
    }
}

std::shared_ptr<question> ask(const std::string& host,
                              std::function<lookup_result(const std::string&)> how)
{
    auto asked = std::make_shared<question>();
    if (lookups_now.fetch_add(1) >= lookups_max) {
        --lookups_now;
        asked->answer({.addresses = {}, .failure = "too many names are being looked up"});
        return asked;
    }
    asio::post(lookup_threads(), [weak = std::weak_ptr(asked), host, how = std::move(how)] {
        look_up_for(weak, host, how);
        --lookups_now;
    });
    return asked;
}

}

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

awaitable<lookup_result> resolve(std::string host, time_point until,
                                 std::function<lookup_result(const std::string&)> how)
{
    lookup_result itself;
    boost::system::error_code no_address;
    asio::ip::make_address(host, no_address);
    if (!no_address) {
        itself.addresses.push_back(host);
        co_return itself;
    }

    const auto asked = ask(host, std::move(how));
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, until);
    const expectation waiting(*asked, timer);
    boost::system::error_code ended;
    if (waiting.open()) {
        const auto [how_ended] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        ended = how_ended;
    }
    auto found = asked->take();
    if (!found && ended)
        throw boost::system::system_error(ended); // Who waited was cancelled.
    if (!found)
        found.emplace().failure = "no answer in time";
    co_return std::move(*found);
}

}

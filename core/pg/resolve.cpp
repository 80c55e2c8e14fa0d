#include <cuebox/pg/blocking_threads.hpp>
#include <cuebox/pg/resolve.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <optional>
#include <sys/socket.h>

namespace cuebox::pg::detail {

namespace {

// Asio's resolver has one thread for each io_context, so that names would queue behind one that
// hangs, and the io_context would wait for it at its end. Never destroyed: threads may still run.
blocking_threads& lookup_threads()
{
    static auto& threads = *new blocking_threads({.threads = 16, .waiting = 1'000});
    return threads;
}

// Between the coroutine that waits and the thread that looks up. That cannot be interrupted, so it
// may end when the coroutine has gone, and its io_context, too: `waiting` tells, under the lock.
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

std::shared_ptr<question> ask(const std::string& host,
                              const std::function<lookup_result(const std::string&)>& how)
{
    auto asked = std::make_shared<question>();
    const auto job = [weak = std::weak_ptr(asked), host, how] {
        try {
            if (weak.expired()) // Nobody waits any more.
                return;
            auto found = how(host);
            if (const auto question = weak.lock())
                question->answer(std::move(found));
        }
        catch (const std::exception&) {
            return; // No memory for an answer: the time of who waits will be up.
        }
    };
    if (!lookup_threads().run(job))
        asked->answer({.failure = "too many names are being looked up"});
    return asked;
}

awaitable<lookup_result> answer_to(std::shared_ptr<question> asked, clock::time_point until)
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

awaitable<std::vector<target>> resolve(std::vector<target> targets, clock::time_point deadline,
                                       clock::duration each_within,
                                       std::function<lookup_result(const std::string&)> how)
{
    const auto now = clock::now();
    const auto until = now + std::min(each_within, (deadline - now) / 2);
    std::vector<std::shared_ptr<question>> asked;
    for (const target& each : targets)
        asked.push_back(each.needs_lookup() ? ask(each.host, how) : nullptr);

    std::vector<target> resolved;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (!asked[i]) {
            resolved.push_back(targets[i]);
            continue;
        }
        const lookup_result found = co_await answer_to(asked[i], until);
        for (const std::string& address : found.addresses)
            resolved.push_back(
                {.host = targets[i].host, .address = address, .port = targets[i].port});
        if (found.addresses.empty()) {
            resolved.push_back(targets[i]);
            resolved.back().failure = "its name was not resolved: " + found.failure;
        }
    }
    co_return resolved;
}

}

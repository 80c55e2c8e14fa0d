#pragma once

#include <cuebox/runtime/scope.hpp>
#include <cuebox/runtime/stage.hpp>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

// Small actors and tools that the tests of the runtime share.
namespace cuebox::test {

using namespace std::chrono_literals;

using lines = std::vector<std::string>;

// Reports of a tree as lines such as "started app/a".
struct journal
{
    lines all;

    reporter writer()
    {
        return [this](const report& each) {
            all.push_back(std::string(to_string(each.what)) + ' ' + each.path);
        };
    }
    lines take() { return std::exchange(all, {}); }
    bool has(const std::string& line) const
    {
        return std::find(all.begin(), all.end(), line) != all.end();
    }
};

inline reporter nobody_listens()
{
    return [](const report&) {};
}

// Restarts without limit and after a fixed second, so that a test knows when.
inline supervisor_options patient(strategy which = strategy::one_for_one)
{
    return {.strategy = which,
            .intensity = {.restarts = intensity::unlimited},
            .backoff = {.base = 1s, .multiplier = 1, .cap = 1s}};
}

struct add
{
    int number;
};
struct fail
{
    std::string why = "told to fail";
};
struct done
{};
struct total
{
    using reply = int;
};

// Adds up within one life; what it saw over all its lives goes to `seen`.
struct adder
{
    using messages = cuebox::messages<add, fail, done, total>;

    std::vector<int>* seen = nullptr;
    int sum = 0;

    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            if (const auto* each = std::get_if<add>(&*message))
                take(each->number);
            else if (const auto* order = std::get_if<fail>(&*message))
                throw std::runtime_error(order->why);
            else if (std::holds_alternative<done>(*message))
                co_return;
            else
                std::get<request<total>>(*message).reply(sum);
        }
    }

    void take(int number)
    {
        sum += number;
        if (seen)
            seen->push_back(number);
    }
};

// Something to wait for that heeds neither stop nor cancel: only the test opens it.
class gate
{
public:
    explicit gate(stage& stage) : opened_(stage.loop().executor(), never()) {}

    void open()
    {
        open_ = true;
        opened_.cancel();
    }

    awaitable<void> wait_whatever_happens()
    {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        boost::system::error_code woken;
        while (!open_)
            co_await opened_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }

    // The polite way: a cancelled wait throws.
    awaitable<void> wait() { co_await opened_.async_wait(asio::use_awaitable); }

private:
    static asio::steady_timer::time_point never() { return asio::steady_timer::time_point::max(); }

    asio::steady_timer opened_;
    bool open_ = false;
};

// What became of an ask that is still under way when the test goes on.
struct outcome
{
    std::optional<int> answer;
    std::optional<ask_failure> failure;
    bool cancelled = false;

    bool pending() const { return !answer && !failure && !cancelled; }
};

template <class Set, class M>
awaitable<void> ask_into(loop& home, address<Set> whom, M message, duration deadline,
                         outcome& result)
{
    try {
        auto asking = cuebox::ask(home, whom, std::move(message), deadline);
        if constexpr (std::is_void_v<typename M::reply>) {
            co_await std::move(asking);
            result.answer = 0;
        }
        else
            result.answer = co_await std::move(asking);
    }
    catch (const ask_error& error) {
        result.failure = error.why();
    }
    catch (const boost::system::system_error&) {
        result.cancelled = true;
    }
}

}

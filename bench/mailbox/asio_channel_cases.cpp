#include "cases.hpp"
#include "workloads.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <thread>

// Asio's thread-safe channel, twice: awaiting every message, as one writes it and as Cuebox's cases
// do, and at its best, with try_send and try_receive by hand, so that a coroutine suspends only
// when the channel is full or empty. Deferred operations and concrete executors are ahead of
// use_awaitable and any_io_executor where coroutines do suspend.
namespace bench::mailbox {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

using executor = asio::io_context::executor_type;
using coroutine = asio::awaitable<void, executor>;
using channel = asio::experimental::concurrent_channel<executor, void(error_code, message)>;

// Awaits every message, or tries first and suspends only when the channel is full or empty.
enum class style
{
    await_each,
    try_first
};

template <style Style>
coroutine send_all(channel& out, std::uint64_t count)
{
    const error_code success;
    for (std::uint64_t i = 0; i < count; ++i) {
        const message next{i};
        if (Style == style::await_each || !out.try_send(success, next))
            co_await out.async_send(success, next, asio::deferred);
    }
}

template <style Style>
coroutine receive_all(channel& in, std::uint64_t count, stopwatch& watch, std::uint64_t& received)
{
    const auto take = [&received](error_code, message) { ++received; };
    while (received < count) {
        if (Style == style::try_first && in.try_receive(take))
            continue;
        co_await in.async_receive(asio::deferred);
        ++received;
    }
    watch.stop();
}

// Whoever receives here was waiting and whoever is sent to waits, so try_receive would only fail.
coroutine bounce(channel& in, channel& out, std::uint64_t hops, std::uint64_t& received)
{
    for (std::uint64_t i = 0; i < hops; ++i) {
        const auto ball = co_await in.async_receive(asio::deferred);
        ++received;
        out.try_send(error_code{}, message{ball.value + 1});
    }
}

sample ping_pong(std::uint64_t messages)
{
    asio::io_context context{1};
    channel left{context.get_executor(), mailbox_capacity};
    channel right{context.get_executor(), mailbox_capacity};
    stopwatch watch;
    std::uint64_t received = 0;
    asio::co_spawn(context, bounce(left, right, messages - messages / 2, received), asio::detached);
    asio::co_spawn(context, bounce(right, left, messages / 2, received), asio::detached);
    context.poll(); // both wait now
    watch.start();
    left.try_send(error_code{}, message{0});
    context.run();
    watch.stop();
    return watch.take(messages, received);
}

template <style Style>
sample one_thread(std::uint64_t messages)
{
    const auto share = messages / producers;
    asio::io_context context{1};
    channel mailbox{context.get_executor(), mailbox_capacity};
    stopwatch watch;
    std::uint64_t received = 0;
    asio::co_spawn(context, receive_all<Style>(mailbox, share * producers, watch, received),
                   asio::detached);
    context.poll(); // the consumer waits now
    watch.start();
    for (std::uint64_t i = 0; i < producers; ++i)
        asio::co_spawn(context, send_all<Style>(mailbox, share), asio::detached);
    context.run();
    return watch.take(share * producers, received);
}

template <style Style>
sample two_threads(std::uint64_t messages)
{
    const auto share = messages / producers;
    asio::io_context sending{1};
    asio::io_context receiving{1};
    channel mailbox{receiving.get_executor(), mailbox_capacity};
    stopwatch watch;
    std::uint64_t received = 0;
    asio::co_spawn(receiving, receive_all<Style>(mailbox, share * producers, watch, received),
                   asio::detached);
    std::thread consumer{[&] { receiving.run(); }};
    watch.start();
    for (std::uint64_t i = 0; i < producers; ++i)
        asio::co_spawn(sending, send_all<Style>(mailbox, share), asio::detached);
    sending.run();
    consumer.join();
    return watch.take(share * producers, received);
}

coroutine receive_one(std::unique_ptr<channel> mailbox, std::uint64_t& received)
{
    const auto take = [&received](error_code, message) { ++received; };
    if (mailbox->try_receive(take))
        co_return;
    co_await mailbox->async_receive(asio::deferred);
    ++received;
}

// In batches, so that coroutines still to run do not pile up in memory, which is slower.
sample spawn_stop(std::uint64_t messages)
{
    constexpr std::uint64_t batch = 1000;

    asio::io_context context{1};
    stopwatch watch;
    std::uint64_t received = 0;
    watch.start();
    for (std::uint64_t i = 0; i < messages; ++i) {
        auto mailbox = std::make_unique<channel>(context.get_executor(), std::size_t{1});
        auto& address = *mailbox; // the coroutine starts, and may end, only in run() below
        asio::co_spawn(context, receive_one(std::move(mailbox), received), asio::detached);
        address.try_send(error_code{}, message{i});
        if ((i + 1) % batch == 0 || i + 1 == messages) {
            context.run();
            context.restart();
        }
    }
    watch.stop();
    return watch.take(messages, received);
}

coroutine answer(channel& questions, channel& answers, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto question = co_await questions.async_receive(asio::deferred);
        answers.try_send(error_code{}, message{question.value + 1});
    }
}

coroutine ask_all(channel& questions, channel& answers, std::uint64_t count, stopwatch& watch,
                  std::uint64_t& received)
{
    watch.start();
    for (; received < count; ++received) {
        questions.try_send(error_code{}, message{received});
        co_await answers.async_receive(asio::deferred);
    }
    watch.stop();
}

sample ask(std::uint64_t messages)
{
    asio::io_context context{1};
    channel questions{context.get_executor(), mailbox_capacity};
    channel answers{context.get_executor(), mailbox_capacity};
    stopwatch watch;
    std::uint64_t received = 0;
    asio::co_spawn(context, answer(questions, answers, messages), asio::detached);
    asio::co_spawn(context, ask_all(questions, answers, messages, watch, received), asio::detached);
    context.run();
    return watch.take(messages, received);
}

}

void add_asio_channel_cases(suite& suite)
{
    const auto add = [&](const char* workload, const char* system, std::uint64_t messages,
                         case_function run,
                         const char* note) { suite.add({workload, system, messages, run, note}); };
    using namespace systems;
    add(workloads::ping_pong, asio_channel, 4'000'000, ping_pong, "");
    add(workloads::one_thread, asio_channel, 2'000'000, one_thread<style::await_each>,
        "awaits every send and receive, as Cuebox does; capacity 1024");
    add(workloads::one_thread, channel_by_hand, 8'000'000, one_thread<style::try_first>,
        "try_send and try_receive by hand, suspending only when full or empty");
    add(workloads::two_threads, asio_channel, 100'000, two_threads<style::await_each>,
        "an io_context per thread; awaits every send and receive");
    add(workloads::two_threads, channel_by_hand, 4'000'000, two_threads<style::try_first>,
        "an io_context per thread; tries by hand first");
    add(workloads::spawn_stop, asio_channel, spawned, spawn_stop,
        "no actor: a coroutine spawned with a channel of its own, receiving once; batches of 1000");
    add(workloads::ask, asio_channel, 2'000'000, ask,
        "no deadline: a channel for requests and one for replies");
}

}

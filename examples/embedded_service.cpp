// An actor inside an Asio service that exists already: a TCP echo server on its own io_context,
// whose sessions share one actor that counts. No thread and no lock is added; the service asks the
// actor the way it awaits anything else, and stops it when it stops.
//
//     build/release/bin/embedded_service
#include <cuebox/runtime/scope.hpp>
#include <cuebox/runtime/tree.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <cstdio>
#include <map>
#include <string>

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

// The actor: counts how often each line was seen.
struct seen
{
    using reply = int; // so it is asked, and answered
    std::string line;
};
using counter_messages = cuebox::messages<seen>;

struct counter
{
    using messages = counter_messages;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            auto& asked = std::get<cuebox::request<seen>>(*message);
            asked.reply(++counts[asked->line]);
        }
    }

    std::map<std::string, int> counts;
};

// The service, as it was before: sockets, coroutines, a scope that joins them.
asio::awaitable<void> serve(tcp::socket socket, cuebox::loop& loop,
                            cuebox::address<counter_messages> counts)
{
    std::string buffer;
    for (;;) {
        const auto [failed, size] = co_await asio::async_read_until(
            socket, asio::dynamic_buffer(buffer), '\n', asio::as_tuple(asio::deferred));
        if (failed)
            co_return;
        seen line{buffer.substr(0, size - 1)};
        buffer.erase(0, size);
        std::string answer = line.line;
        const int times = co_await cuebox::ask(loop, counts, std::move(line), 1s);
        answer += " x" + std::to_string(times) + '\n';
        co_await asio::async_write(socket, asio::buffer(answer), asio::deferred);
    }
}

// A client of our own, so that the example ends.
asio::awaitable<void> visit(tcp::endpoint where)
{
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(where, asio::deferred);
    for (const std::string line : {"hello\n", "world\n", "hello\n"}) {
        co_await asio::async_write(socket, asio::buffer(line), asio::deferred);
        std::string answer;
        co_await asio::async_read_until(socket, asio::dynamic_buffer(answer), '\n', asio::deferred);
        std::printf("%s", answer.c_str());
    }
}

asio::awaitable<void> run_service(cuebox::loop& loop, cuebox::tree& actors,
                                  cuebox::address<counter_messages> counts)
{
    const auto executor = co_await asio::this_coro::executor;
    tcp::acceptor acceptor(executor, {asio::ip::address_v4::loopback(), 0});
    actors.start();

    cuebox::scope sessions(executor);
    sessions.spawn(visit(acceptor.local_endpoint()));
    tcp::socket accepted = co_await acceptor.async_accept(asio::deferred);
    sessions.spawn(serve(std::move(accepted), loop, counts));
    co_await sessions.join();

    actors.stop();
    const cuebox::exit_reason ended = co_await actors.ended();
    std::printf("actors %s\n", ended.what().c_str());
}

int main()
{
    asio::io_context context;
    cuebox::loop loop{context.get_executor()};
    cuebox::tree actors{loop, "actors"};
    const auto counts = actors.add<counter>("counter");

    cuebox::scope service(context.get_executor());
    service.spawn(run_service(loop, actors, counts));
    context.run();
}

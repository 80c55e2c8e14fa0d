// Cuebox inside an HTTP service that exists already. One io_context on one thread carries it all:
// Boost.Beast answers requests, the shop writes orders, and a listening context keeps a table of
// totals up to date from the orders' events.
//
//     POST /orders {"buyer": "Ada", "cents": 450}    an order and its event, in one transaction
//     GET /totals                                    what the events have added up to
//
//     order_http [PORT]                 on a private Postgres; DATABASE_URL=… takes yours
//     order_http --self-test            orders from itself over HTTP, and ends
#include <cuebox/actors/context.hpp>
#include <cuebox/embedded/server.hpp>
#include <cuebox/handlers/registry.hpp>
#include <cuebox/outbox/migrate.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace pg = cuebox::pg;
namespace outbox = cuebox::outbox;
using asio::ip::tcp;
using namespace std::chrono_literals;

// --- what is said: on the wire, and in the event ---

struct new_order
{
    std::string buyer;
    std::int64_t cents;
};
struct order_accepted
{
    std::int64_t number;
};
struct total
{
    std::string buyer;
    std::int64_t orders;
    std::int64_t cents;
};
struct all_totals
{
    std::vector<total> totals;
};
struct refusal
{
    std::string error;
};

struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number;
    std::string buyer;
    std::int64_t cents;
};

constexpr pg::statement create_tables{
    .name = "create tables",
    .sql = "create table if not exists orders (number bigint generated always as identity primary "
           "key, buyer text not null, cents bigint not null check (cents > 0));"
           "create table if not exists order_totals (buyer text primary key, "
           "orders bigint not null, cents bigint not null)"};
constexpr pg::statement insert_order{
    .name = "insert order",
    .sql = "insert into orders (buyer, cents) values ($1, $2) returning number"};
constexpr pg::statement add_to_total{
    .name = "add to total",
    .sql = "insert into order_totals as t (buyer, orders, cents) values ($1, 1, $2) "
           "on conflict (buyer) do update set orders = t.orders + 1, cents = t.cents + $2"};
constexpr pg::statement read_totals{
    .name = "read totals", .sql = "select buyer, orders, cents from order_totals order by buyer"};

// --- the shop: what the service is about ---

class shop
{
public:
    explicit shop(pg::pool& pool) : pool_(pool), publisher_({.source = "shop", .generation = 1}) {}

    // The order and its event are committed together: there is no moment in which one is there and
    // the other is not, however the process ends.
    pg::awaitable<order_accepted> place(new_order wanted)
    {
        auto connection = co_await pool_.borrow();
        pg::transaction work{*connection};
        const auto number =
            co_await work.query_one<std::int64_t>(insert_order, wanted.buyer, wanted.cents);
        const order_placed placed{.number = number, .buyer = wanted.buyer, .cents = wanted.cents};
        const outbox::event_options options{.target = "billing"};
        co_await publisher_.publish(work, placed, options);
        co_await work.commit();
        co_return order_accepted{.number = number};
    }

    pg::awaitable<all_totals> totals()
    {
        auto connection = co_await pool_.borrow();
        all_totals found;
        found.totals = co_await connection->query<total>(read_totals);
        co_return found;
    }

private:
    pg::pool& pool_;
    outbox::publisher publisher_;
};

// The projection. An addition is the worst thing to do twice; in a transactional handler it needs
// no care, since it commits with the record that this event was handled, or not at all.
cuebox::awaitable<void> project(cuebox::delivery<order_placed> order, pg::transaction& work)
{
    co_await work.execute(add_to_total, order->buyer, order->cents);
}

// --- HTTP: a service as it might have been before Cuebox came ---

using request = http::request<http::string_body>;
using response = http::response<http::string_body>;

response reply(const request& to, http::status status, std::string body)
{
    response made{status, to.version()};
    made.set(http::field::content_type, "application/json");
    made.keep_alive(to.keep_alive());
    made.body() = std::move(body) + '\n';
    made.prepare_payload();
    return made;
}

asio::awaitable<response> answer(shop& shop, const request& asked)
{
    std::string why;
    http::status status{};
    try {
        if (asked.method() == http::verb::post && asked.target() == "/orders") {
            auto wanted = cuebox::event::decode<new_order>(asked.body());
            const order_accepted accepted = co_await shop.place(std::move(wanted));
            co_return reply(asked, http::status::created, cuebox::event::encode(accepted));
        }
        if (asked.method() == http::verb::get && asked.target() == "/totals") {
            const all_totals found = co_await shop.totals();
            co_return reply(asked, http::status::ok, cuebox::event::encode(found));
        }
        status = http::status::not_found;
        why = "there is POST /orders and GET /totals";
    }
    catch (const cuebox::event::payload_error& wrong) {
        status = http::status::bad_request; // Names the field.
        why = wrong.what();
    }
    catch (const pg::error& refused) {
        // Integrity violations are the client's fault; all else may work another time.
        status = refused.in_class("23") ? http::status::unprocessable_entity
                                        : http::status::service_unavailable;
        why = refused.in_class("23") ? refused.what() : "the database is away: try again";
        // The connection broke between COMMIT and its answer: nobody here knows.
        if (refused.code() == pg::errc::commit_unknown)
            why = "the order may have been placed: look before you try again";
    }
    catch (const std::exception& failure) {
        status = http::status::internal_server_error;
        why = failure.what();
    }
    co_return reply(asked, status, cuebox::event::encode(refusal{why}));
}

class http_server
{
public:
    http_server(const asio::any_io_executor& executor, std::uint16_t port, shop& shop)
        : acceptor_(executor, {asio::ip::address_v4::loopback(), port}),
          sessions_(executor),
          shop_(shop)
    {}

    tcp::endpoint where() const { return acceptor_.local_endpoint(); }

    // Until stop(), and until the last request has its answer.
    asio::awaitable<void> run()
    {
        asio::steady_timer pause(acceptor_.get_executor());
        while (acceptor_.is_open()) {
            auto [failed, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::deferred));
            if (!failed && sessions_.alive() < sessions_max) {
                sessions_.spawn(serve(beast::tcp_stream(std::move(socket))));
                continue;
            }
            // No descriptors left, say: not to be tried again at once.
            pause.expires_after(failed ? 20ms : 0ms);
            co_await pause.async_wait(asio::as_tuple(asio::deferred));
        }
        co_await sessions_.join();
    }

    // Whoever has sent a request is answered; whoever has not is hung up on.
    void stop()
    {
        acceptor_.close();
        for (beast::tcp_stream* each : idle_)
            each->cancel();
    }

private:
    static constexpr std::size_t sessions_max = 256;
    static constexpr std::size_t body_max = 16 * 1024;

    asio::awaitable<void> serve(beast::tcp_stream stream)
    {
        beast::flat_buffer buffer;
        bool open = true;
        while (open && acceptor_.is_open()) {
            http::request_parser<http::string_body> parser;
            parser.body_limit(body_max);
            stream.expires_after(30s);
            idle_.insert(&stream);
            const auto [unread, read] =
                co_await http::async_read(stream, buffer, parser, asio::as_tuple(asio::deferred));
            idle_.erase(&stream);
            if (unread)
                co_return;
            const response made = co_await answer(shop_, parser.get());
            stream.expires_after(30s);
            const auto [unsent, sent] =
                co_await http::async_write(stream, made, asio::as_tuple(asio::deferred));
            open = !unsent && made.keep_alive();
        }
    }

    tcp::acceptor acceptor_;
    cuebox::scope sessions_;
    shop& shop_;
    std::set<beast::tcp_stream*> idle_; // Those that wait for a request.
};

// --- a client of our own, for the self-test ---

class client
{
public:
    explicit client(const asio::any_io_executor& executor) : stream_(executor) {}

    asio::awaitable<void> connect(tcp::endpoint where)
    {
        stream_.expires_after(5s);
        co_await stream_.async_connect(where, asio::deferred);
    }

    asio::awaitable<response> ask(http::verb verb, std::string target, std::string body = {})
    {
        request asked{verb, target, 11};
        asked.body() = std::move(body);
        asked.prepare_payload();
        response got;
        stream_.expires_after(5s);
        co_await http::async_write(stream_, asked, asio::deferred);
        co_await http::async_read(stream_, buffer_, got, asio::deferred);
        co_return got;
    }

private:
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
};

std::int64_t count_orders(const response& totals)
{
    std::int64_t count = 0;
    for (const total& each : cuebox::event::decode<all_totals>(totals.body()).totals)
        count += each.orders;
    return count;
}

asio::awaitable<void> test_itself(tcp::endpoint where)
{
    const auto executor = co_await asio::this_coro::executor;
    client visitor(executor);
    co_await visitor.connect(where);
    response got = co_await visitor.ask(http::verb::get, "/totals");
    const std::int64_t before = count_orders(got);

    int placed = 0;
    int refused = 0;
    for (const char* order :
         {R"({"buyer": "Ada", "cents": 450})", R"({"buyer": "Grace", "cents": 620})",
          R"({"buyer": "Ada", "cents": 100})", R"({"buyer": "Mallory", "cents": -1})",
          R"({"buyer": "Mallory"})"})
    {
        got = co_await visitor.ask(http::verb::post, "/orders", order);
        (got.result() == http::status::created ? placed : refused) += 1;
    }

    // The projection follows within milliseconds: eventually consistent, as the word goes.
    asio::steady_timer pause(executor);
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    for (;;) {
        got = co_await visitor.ask(http::verb::get, "/totals");
        if (count_orders(got) >= before + placed)
            break;
        if (std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("the projection did not follow: " + got.body());
        pause.expires_after(5ms);
        co_await pause.async_wait(asio::deferred);
    }
    std::printf("self-test: %d orders placed, %d refused, projected: %s", placed, refused,
                got.body().c_str());
}

// --- the service, from start to stop ---

struct service_options
{
    std::uint16_t port = 0; // Any that is free.
    bool self_test = false;
};

// A context lives through most trouble, and gives up on what restarts do not cure. Then the service
// ends too, for whoever runs services to start it again.
asio::awaitable<void> end_together(const cuebox::context& billing, asio::signal_set& signals)
{
    co_await billing.ended();
    signals.cancel();
}

asio::awaitable<void> run_service(pg::connect_options database, service_options options)
{
    co_await outbox::migrate(database);
    // One pool for requests and for the context: two lanes and two settlers take four connections
    // of it at most, its keepers one or two now and then.
    pg::pool pool{{.connect = database, .rules = {.size = 12}}};
    {
        auto connection = co_await pool.borrow();
        co_await connection->run_script(create_tables);
    }

    const auto executor = co_await asio::this_coro::executor;
    cuebox::loop loop{executor};
    cuebox::registry handlers;
    handlers.on<order_placed>("billing.order_totals", &project);
    cuebox::context_options how;
    how.name = "billing";
    how.generation = 1;
    cuebox::context billing{loop, pool, handlers.take(), std::move(how)};

    shop shop{pool};
    http_server server{executor, options.port, shop};
    asio::signal_set signals(executor, SIGTERM, SIGINT);
    cuebox::scope serving{executor};
    cuebox::scope watching{executor};
    billing.start();
    watching.spawn(end_together(billing, signals));
    serving.spawn(server.run());
    std::printf("listening on 127.0.0.1:%d\n", server.where().port());
    std::fflush(stdout);

    std::exception_ptr failed;
    try {
        if (options.self_test)
            co_await test_itself(server.where());
        else
            co_await signals.async_wait(asio::as_tuple(asio::deferred));
    }
    catch (...) {
        failed = std::current_exception(); // Stopping awaits, which a catch must not.
    }

    // No new orders first, then the context: it lets running handlers finish and gives back what it
    // had only claimed. What is still pending is handled after the next start.
    server.stop();
    co_await serving.join();
    billing.stop();
    const cuebox::exit_reason ended = co_await billing.ended();
    co_await watching.join();
    pool.close();
    if (failed)
        std::rethrow_exception(failed);
    if (ended.kind == cuebox::exit_kind::failed)
        throw std::runtime_error("billing gave up: " + ended.what());
}

int main(int argc, char** argv)
{
    try {
        service_options options;
        if (argc > 1 && std::string_view(argv[1]) == "--self-test")
            options.self_test = true;
        else if (argc > 1)
            options.port = static_cast<std::uint16_t>(std::stoul(argv[1]));

        std::optional<cuebox::embedded::server> postgres;
        const char* url = std::getenv("DATABASE_URL");
        if (!url)
            postgres.emplace();

        asio::io_context io{1};
        auto ended =
            asio::co_spawn(io, run_service({.conninfo = url ? url : postgres->conninfo()}, options),
                           asio::use_future);
        io.run();
        ended.get();
        return 0;
    }
    catch (const std::exception& failure) {
        std::fprintf(stderr, "order_http: %s\n", failure.what());
        return 1;
    }
}

#include "pg_line.hpp"

#include <cuebox/event/channel.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/outbox/worker_statements.hpp>
#include <cuebox/pg/error.hpp>

#include <boost/asio/ip/host_name.hpp>

#include <algorithm>
#include <unistd.h>

namespace cuebox::outbox {

namespace {

// How long the try-out waits for its own word to come back.
constexpr std::chrono::seconds echo_deadline{3};
// A dead peer is found out within this and the interval of the checks.
constexpr std::chrono::seconds check_deadline{5};

std::vector<std::string> channels_of(const relay_options& options)
{
    if (options.channels)
        return *options.channels;
    return {event::channel_for(options.generation), "outbox_default"};
}

pg::connect_options for_a_line(pg::connect_options where)
{
    // Its few statements run seldom, and a pooler may sit in between.
    where.prepared_max = 0;
    where.application_name = "cuebox listener";
    return where;
}

// Tries a connection out with the help of another one.
pg::awaitable<std::string> why_deaf(pg::connection& listener, pg::connect_options where)
{
    pg::connection speaker = co_await pg::connect(where);
    const std::string word = event::print_uuid(event::new_event_id());
    const std::string channel = "cuebox_echo_" + word.substr(24);
    co_await listener.listen(channel);
    co_await speaker.execute(say_on_channel, channel);
    const auto echo = co_await listener.next_notification(echo_deadline);
    co_await listener.unlisten(channel);
    if (echo && echo->channel == channel)
        co_return std::string{};
    co_return "LISTEN does not work on this connection (a transaction pooler such as PgBouncer is "
              "in between): polling instead; give the listener a direct connection to get NOTIFY";
}

}

pg::awaitable<std::string> why_deaf(pg::connect_options where)
{
    where = for_a_line(std::move(where));
    pg::connection listener = co_await pg::connect(where);
    co_return co_await why_deaf(listener, where);
}

pg_line::pg_line(pg::connection connection, relay_options options)
    : connection_(std::move(connection)),
      options_(std::move(options)),
      channels_(channels_of(options_))
{}

pg::awaitable<std::unique_ptr<line>> pg_line::open(relay_options options,
                                                   std::vector<std::string> event_types)
{
    const pg::connect_options where = for_a_line(options.line);
    pg::connection connection = co_await pg::connect(where);
    std::string deaf = "the connection goes through a transaction pooler: polling";
    if (!options.pooled_line)
        deaf = co_await why_deaf(connection, where);
    connection.set_deadline(check_deadline);

    const bool own_session = deaf.empty();
    co_await connection.execute(register_worker, options.worker, options.context,
                                options.generation, boost::asio::ip::host_name(),
                                static_cast<std::int32_t>(::getpid()), own_session);
    co_await connection.execute(subscribe_context, options.context, options.generation,
                                event_types);
    auto opened = std::make_unique<pg_line>(std::move(connection), std::move(options));
    opened->deaf_because_ = std::move(deaf);
    if (opened->deaf_because_.empty())
        co_await opened->listen();
    co_return opened;
}

pg::awaitable<void> pg_line::listen()
{
    for (const std::string& each : channels_)
        co_await connection_.listen(each);
}

pg::awaitable<void> pg_line::heard()
{
    for (;;) {
        const auto word = co_await connection_.next_notification(std::chrono::hours(1));
        if (word)
            co_return;
    }
}

pg::awaitable<void> pg_line::check(worker_report report)
{
    const bool hears = deaf_because_.empty();
    pg::params said = heartbeat_params(options_.worker, report, hears);
    const pg::result answer = co_await connection_.execute(worker_heartbeat, std::move(said));
    const bool known = answer.only<bool>();
    if (!known) {
        // Taken for dead by another process, for example after this one was suspended.
        co_await connection_.execute(register_worker, options_.worker, options_.context,
                                     options_.generation, boost::asio::ip::host_name(),
                                     static_cast<std::int32_t>(::getpid()), hears);
    }
    if (!hears)
        co_return;
    auto listened = co_await connection_.query<std::string>(listening_channels);
    std::ranges::sort(listened);
    for (const std::string& each : channels_)
        if (!std::ranges::binary_search(listened, each))
            throw pg::error(pg::errc::lost, "listening channels",
                            "the session no longer listens on " + each);
}

pg::awaitable<void> pg_line::listen_also(std::string channel)
{
    if (std::ranges::find(channels_, channel) != channels_.end() || !deaf_because_.empty())
        co_return;
    co_await connection_.listen(channel);
    channels_.push_back(std::move(channel));
}

pg::awaitable<void> pg_line::hang_up()
{
    if (deaf_because_.empty())
        for (const std::string& each : channels_)
            co_await connection_.unlisten(each);
    co_await connection_.execute(unregister_worker, options_.worker);
    connection_.close();
}

}

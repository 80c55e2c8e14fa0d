#include <cuebox/pg/connect_plan.hpp>
#include <cuebox/pg/connection.hpp>
#include <cuebox/pg/resolve.hpp>
#include <cuebox/pg/session.hpp>

#include <boost/asio/this_coro.hpp>
#include <libpq-fe.h>

namespace cuebox::pg {

namespace detail {

namespace {

struct finish_connection
{
    void operator()(PGconn* connection) const { PQfinish(connection); }
};
using owned_connection = std::unique_ptr<PGconn, finish_connection>;

owned_connection start(const conninfo& info, const target& to, const std::string& attributes)
{
    std::vector<const char*> keys;
    std::vector<const char*> values;
    const auto add = [&](const char* key, const std::string& value) {
        if (value.empty())
            return;
        keys.push_back(key);
        values.push_back(value.c_str());
    };
    for (const auto& [key, value] : info.settings)
        if (key != "target_session_attrs")
            add(key.c_str(), value);
    add("host", to.host);
    add("hostaddr", to.address);
    add("port", to.port);
    add("target_session_attrs", attributes);
    keys.push_back(nullptr);
    values.push_back(nullptr);
    return owned_connection(PQconnectStartParams(keys.data(), values.data(), 0));
}

// The part of libpq's message that tells something: it repeats the host, and goes on with advice.
std::string reason(const PGconn* failed)
{
    std::string text = PQerrorMessage(failed);
    text = text.substr(0, text.find('\n'));
    const auto verdict = text.rfind("failed: ");
    return verdict == text.npos ? text : text.substr(verdict + 8);
}

// One address. An empty answer is success; else why it failed.
awaitable<std::string> establish(PGconn* connection, socket& watch, clock::time_point until)
{
    watch.expect_by(until);
    auto next = PGRES_POLLING_WRITING;
    while (next != PGRES_POLLING_OK) {
        if (next == PGRES_POLLING_FAILED || PQstatus(connection) == CONNECTION_BAD)
            co_return reason(connection);
        watch.assign(PQsocket(connection));
        const readiness ended =
            co_await watch.wait(next == PGRES_POLLING_READING ? interest::read : interest::write);
        watch.release(); // libpq may move to another socket.
        if (ended == readiness::timed_out)
            co_return "no answer in time";
        next = PQconnectPoll(connection);
    }
    co_return "";
}

}

}

awaitable<connection> connect(connect_options options)
{
    using namespace detail;
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto deadline = clock::now() + options.connect_deadline;
    const conninfo info = parse_conninfo(options);
    auto resolving = resolve(info.targets, deadline, options.address_deadline);
    const std::vector<target> targets = co_await std::move(resolving);

    std::vector<std::string> names;
    for (const target& each : targets)
        names.push_back(each.describe());
    const std::string* session_wanted = info.find("target_session_attrs");
    // Without one, a service file may say.
    connect_plan plan(names, session_wanted ? *session_wanted : "", deadline,
                      options.address_deadline);
    while (const auto attempt = plan.next(clock::now())) {
        const target& to = targets[attempt->to->target];
        if (!to.failure.empty()) {
            plan.failed(to.failure);
            continue;
        }
        owned_connection connecting = start(info, to, attempt->to->session);
        if (!connecting)
            throw std::bad_alloc();
        socket watch(executor); // Destroyed, so released, before the connection is.
        const std::string failure = co_await establish(connecting.get(), watch, attempt->until);
        if (failure.empty()) {
            auto made = std::make_unique<session>(connecting.get(), executor, options);
            (void)connecting.release(); // NOLINT(bugprone-unused-return-value)
            co_return connection(std::move(made));
        }
        plan.failed(failure);
    }
    throw error(errc::connect, "",
                "cannot connect to the database: " + plan.account() +
                    ": check that the server runs and that the URL names its host, port, user "
                    "and database");
}

}

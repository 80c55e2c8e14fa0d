#include <cuebox/http/connection.hpp>
#include <cuebox/runtime/exit.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <optional>

namespace cuebox::http::detail {

namespace {

namespace beast = boost::beast;
namespace wire = beast::http;
using boost::system::error_code;
using wire_request = wire::request<wire::string_body>;
using wire_response = wire::response<wire::string_body>;
using wire_parser = wire::request_parser<wire::string_body>;

// What a client that was refused half-way may still send before it is cut off: cut off at once, it
// might never read why.
constexpr std::size_t linger_max = 256 * 1024;
constexpr std::chrono::seconds linger_within{1};

// The status for a request that could not be read; zero when nobody is there to be told.
unsigned status_for(const error_code& failed)
{
    if (failed == wire::error::header_limit || failed == wire::error::buffer_overflow)
        return 431;
    if (failed == wire::error::body_limit)
        return 413;
    if (failed == wire::error::end_of_stream || failed == wire::error::partial_message)
        return 0;
    const bool malformed =
        failed.category() ==
        error_code(wire::make_error_code(wire::error::bad_line_ending)).category();
    return malformed ? 400 : 0;
}

response plain(unsigned status)
{
    response made;
    made.status = status;
    made.body = std::string(wire::obsolete_reason(wire::int_to_status(status))) + "\n";
    return made;
}

request read_request(wire_request message)
{
    request made;
    const bool head = message.method() == wire::verb::head;
    made.method = head ? "GET" : std::string(message.method_string());
    const std::string_view target = message.target();
    const auto mark = std::min(target.find('?'), target.size());
    made.path = target.substr(0, mark);
    if (mark < target.size())
        made.query = target.substr(mark + 1);
    for (const auto& each : message)
        made.headers.emplace_back(each.name_string(), each.value());
    made.body = std::move(message.body());
    return made;
}

wire_response print_response(response from, bool keep_alive)
{
    if (from.status < 200 || from.status > 599)
        throw std::invalid_argument("status " + std::to_string(from.status) + " is no answer");
    wire_response made{wire::int_to_status(from.status), 11};
    made.result(from.status);
    if (!from.content_type.empty())
        from.headers.emplace_back("Content-Type", std::move(from.content_type));
    for (const auto& [name, value] : from.headers) {
        if (!is_header_name(name) || !is_header_value(value))
            throw std::invalid_argument("a header that HTTP does not take");
        made.insert(name, value);
    }
    made.keep_alive(keep_alive);
    made.body() = std::move(from.body);
    made.prepare_payload();
    return made;
}

// What became of a handler's run.
struct outcome
{
    std::optional<response> made;
    std::exception_ptr failed;
    bool late = false;
};

awaitable<void> run_handler(std::shared_ptr<const service> service, request asked,
                            std::shared_ptr<outcome> end)
{
    try {
        awaitable<response> work = service->handler(std::move(asked));
        response made = co_await std::move(work);
        end->made = std::move(made);
    }
    catch (...) {
        end->failed = std::current_exception();
    }
}

class beast_connection final : public connection
{
public:
    beast_connection(asio::ip::tcp::socket socket, std::shared_ptr<const service> service)
        : stream_(std::move(socket)),
          service_(std::move(service))
    {}

    awaitable<void> serve() override
    {
        bool more = true;
        while (more)
            more = co_await serve_one();
        error_code gone;
        stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, gone);
        if (refused_ && !gone && !finishing_)
            co_await linger();
        stream_.close();
    }

    time_point waits_since() const noexcept override { return waits_since_; }

    void close() override
    {
        waits_since_ = time_point::max();
        stream_.close();
    }

    void finish() override
    {
        finishing_ = true;
        if (reading_)
            close();
    }

private:
    awaitable<bool> serve_one()
    {
        wire_parser parser;
        parser.header_limit(static_cast<std::uint32_t>(service_->limits.header_max));
        parser.body_limit(service_->limits.body_max);
        reading_ = true;
        const error_code failed = co_await read(parser);
        reading_ = false;
        if (failed) {
            const unsigned status = status_for(failed);
            if (status == 0)
                co_return false;
            refused_ = true;
            wire_response refusal = print_response(plain(status), false);
            co_await write(std::move(refusal), false);
            co_return false;
        }
        wire_request message = parser.release();
        const bool head = message.method() == wire::verb::head;
        const bool keep_alive = message.keep_alive();
        const std::string what = std::string(message.method_string()) + " ";
        request asked = read_request(std::move(message));
        const std::string name = what + asked.path;
        response made = co_await ask_handler(std::move(asked), name);
        wire_response answer = print(std::move(made), keep_alive && !finishing_, name);
        const bool more = answer.keep_alive();
        const bool written = co_await write(std::move(answer), head);
        co_return written&& more && !finishing_;
    }

    awaitable<error_code> read(wire_parser& parser)
    {
        error_code failed;
        const auto token = asio::redirect_error(asio::use_awaitable, failed);
        waits_since_ = std::chrono::steady_clock::now();
        if (buffer_.size() == 0) {
            stream_.expires_after(service_->limits.idle_within);
            const auto space = buffer_.prepare(1024);
            const std::size_t got = co_await stream_.async_read_some(space, token);
            if (failed)
                co_return failed;
            buffer_.commit(got);
        }
        // One deadline for all of it: a byte now and then does not move it.
        stream_.expires_after(service_->limits.read_within);
        co_await wire::async_read_header(stream_, buffer_, parser, token);
        if (failed)
            co_return failed;
        if (beast::iequals(parser.get()[wire::field::expect], "100-continue")) {
            const wire::response<wire::empty_body> go_on{wire::status::continue_, 11};
            co_await wire::async_write(stream_, go_on, token);
            if (failed)
                co_return failed;
        }
        co_await wire::async_read(stream_, buffer_, parser, token);
        co_return failed;
    }

    awaitable<response> ask_handler(request asked, std::string name)
    {
        waits_since_ = time_point::max();
        const auto work = std::make_shared<scope>(stream_.get_executor());
        const auto end = std::make_shared<outcome>();
        work->spawn(run_handler(service_, std::move(asked), end));
        asio::steady_timer timer(stream_.get_executor());
        timer.expires_after(service_->limits.handle_within);
        timer.async_wait([end, weak = std::weak_ptr(work)](const error_code& cancelled) {
            const auto late = weak.lock();
            if (cancelled || !late)
                return;
            end->late = true;
            late->cancel();
        });
        co_await work->join();
        if (end->made)
            co_return std::move(*end->made);
        if (end->late)
            service_->report(name + " took too long and was cancelled");
        else
            service_->report(name + " failed: " + message_of(end->failed));
        co_return plain(end->late ? 503 : 500);
    }

    wire_response print(response made, bool keep_alive, const std::string& name) const
    {
        try {
            return print_response(std::move(made), keep_alive);
        }
        catch (const std::exception& error) {
            service_->report(name + " failed: " + error.what());
            return print_response(plain(500), keep_alive);
        }
    }

    awaitable<bool> write(wire_response answer, bool head_only)
    {
        waits_since_ = std::chrono::steady_clock::now();
        stream_.expires_after(service_->limits.write_within);
        error_code failed;
        const auto token = asio::redirect_error(asio::use_awaitable, failed);
        wire::response_serializer<wire::string_body> from(answer);
        if (head_only)
            co_await wire::async_write_header(stream_, from, token);
        else
            co_await wire::async_write(stream_, from, token);
        co_return !failed;
    }

    awaitable<void> linger()
    {
        reading_ = true;
        stream_.expires_after(linger_within);
        std::size_t left = linger_max;
        error_code failed;
        const auto token = asio::redirect_error(asio::use_awaitable, failed);
        while (!failed && left > 0) {
            buffer_.clear();
            const auto space = buffer_.prepare(16 * 1024);
            const std::size_t got = co_await stream_.async_read_some(space, token);
            left -= std::min(left, got);
        }
    }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    std::shared_ptr<const service> service_;
    time_point waits_since_ = time_point::max();
    bool reading_ = false;
    bool refused_ = false;
    bool finishing_ = false;
};

}

std::shared_ptr<connection> make_connection(asio::ip::tcp::socket socket,
                                            std::shared_ptr<const service> service)
{
    return std::make_shared<beast_connection>(std::move(socket), std::move(service));
}

}

#include <cuebox/http/error.hpp>
#include <cuebox/http/lookup.hpp>
#include <cuebox/http/post.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include <algorithm>

namespace cuebox::http {

namespace {

namespace beast = boost::beast;
namespace ssl = asio::ssl;
using boost::system::error_code;
using wire_request = beast::http::request<beast::http::string_body>;

// An address that swallows what is sent to it leaves time for the next one.
constexpr std::chrono::seconds connect_max{10};

struct tls_target final : post_target
{
    tls_target()
    {
        context.set_default_verify_paths();
        context.set_verify_mode(ssl::verify_peer);
    }

    mutable ssl::context context{ssl::context::tls_client};
};

wire_request make_request(const post_target& target, const headers& more, std::string body,
                          const std::string& content_type)
{
    using beast::http::field;
    wire_request request{beast::http::verb::post, target.where.target, 11};
    request.set(field::host, target.where.authority());
    request.set(field::user_agent, "cuebox");
    request.set(field::content_type, content_type);
    request.set(field::connection, "close");
    for (const auto& [name, value] : more)
        request.set(name, value);
    for (const auto& [name, value] : target.headers)
        request.set(name, value);
    request.body() = std::move(body);
    request.prepare_payload();
    return request;
}

time_point deadline_in(duration limit)
{
    const time_point now = std::chrono::steady_clock::now();
    return limit < time_point::max() - now ? now + limit : time_point::max();
}

// Cancellation stays what it is; all else becomes an error that tells where and in doing what.
void expect(const error_code& failed, const post_target& target, std::string_view doing)
{
    if (!failed)
        return;
    if (failed == asio::error::operation_aborted)
        throw boost::system::system_error(failed);
    const std::string why =
        failed == beast::error::timeout ? "no answer in time" : failed.message();
    throw error(target.where.authority() + ": " + std::string(doing) + ": " + why);
}

awaitable<std::vector<asio::ip::tcp::endpoint>>
find_places(std::shared_ptr<const post_target> target, time_point until)
{
    auto found = co_await resolve(target->where.host, until);
    if (found.addresses.empty())
        throw error(target->where.authority() + ": its name was not resolved: " + found.failure);
    const auto port = static_cast<std::uint16_t>(std::stoi(target->where.port));
    std::vector<asio::ip::tcp::endpoint> places;
    for (const std::string& each : found.addresses) {
        error_code no_address;
        const auto address = asio::ip::make_address(each, no_address);
        if (!no_address)
            places.emplace_back(address, port);
    }
    co_return places;
}

awaitable<void> connect(beast::tcp_stream& stream, std::shared_ptr<const post_target> target,
                        time_point until)
{
    const auto places = co_await find_places(target, until);
    error_code failed = asio::error::host_not_found;
    for (std::size_t i = 0; i < places.size(); ++i) {
        stream.close(); // What was tried before may be of another family.
        const time_point now = std::chrono::steady_clock::now();
        const bool last = i + 1 == places.size();
        const duration share = std::min<duration>(connect_max, (until - now) / 2);
        stream.expires_at(last ? until : now + share);
        co_await stream.async_connect(places[i], asio::redirect_error(asio::use_awaitable, failed));
        if (!failed || failed == asio::error::operation_aborted)
            break;
    }
    expect(failed, *target, "connect");
    stream.expires_at(until);
}

template <class Stream>
awaitable<answer> converse(Stream& stream, const wire_request& request, const post_target& target)
{
    error_code failed;
    const auto token = asio::redirect_error(asio::use_awaitable, failed);
    co_await beast::http::async_write(stream, request, token);
    expect(failed, target, "send");
    beast::flat_buffer buffer;
    beast::http::response_parser<beast::http::empty_body> parser;
    parser.body_limit(boost::none); // It is not read.
    co_await beast::http::async_read_header(stream, buffer, parser, token);
    expect(failed, target, "answer");
    answer got;
    got.status = parser.get().result_int();
    for (const auto& each : parser.get())
        got.headers.emplace_back(each.name_string(), each.value());
    co_return got;
}

}

std::shared_ptr<const post_target> make_post_target(url where, headers headers)
{
    std::shared_ptr<post_target> made;
    if (where.tls)
        made = std::make_shared<tls_target>();
    else
        made = std::make_shared<post_target>();
    made->where = std::move(where);
    made->headers = std::move(headers);
    return made;
}

awaitable<answer> post(std::shared_ptr<const post_target> target, headers headers, std::string body,
                       post_options options)
{
    const auto executor = co_await asio::this_coro::executor;
    const time_point until = deadline_in(options.within);
    const auto request = make_request(*target, headers, std::move(body), options.content_type);
    if (!target->where.tls) {
        beast::tcp_stream plain(executor);
        co_await connect(plain, target, until);
        answer got = co_await converse(plain, request, *target);
        co_return got;
    }
    const auto& secure = static_cast<const tls_target&>(*target);
    beast::ssl_stream<beast::tcp_stream> stream(executor, secure.context);
    if (!SSL_set_tlsext_host_name(stream.native_handle(), target->where.host.c_str()))
        throw error(target->where.authority() + ": could not be named to TLS");
    stream.set_verify_callback(ssl::host_name_verification(target->where.host));
    co_await connect(beast::get_lowest_layer(stream), target, until);
    error_code failed;
    const auto token = asio::redirect_error(asio::use_awaitable, failed);
    co_await stream.async_handshake(ssl::stream_base::client, token);
    expect(failed, *target, "TLS");
    answer got = co_await converse(stream, request, *target);
    co_return got;
}

}

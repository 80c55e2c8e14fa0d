#include "http_post.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

namespace cuebox::handlers {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;

// What a receiver has to say fits in this; the rest of an answer is not read.
constexpr std::size_t answer_max = 64 * 1024;

struct tls_target final : post_target
{
    tls_target()
    {
        context.set_default_verify_paths();
        context.set_verify_mode(ssl::verify_peer);
    }

    mutable ssl::context context{ssl::context::tls_client};
};

http::request<http::string_body> make_request(const post_target& target,
                                              const http_headers& headers, std::string body)
{
    http::request<http::string_body> request{http::verb::post, target.where.target, 11};
    request.set(http::field::host, target.where.authority());
    request.set(http::field::user_agent, "cuebox");
    request.set(http::field::content_type, "application/json");
    request.set(http::field::connection, "close");
    for (const auto& [name, value] : headers)
        request.set(name, value);
    for (const auto& [name, value] : target.headers)
        request.set(name, value);
    request.body() = std::move(body);
    request.prepare_payload();
    return request;
}

template <class Stream>
awaitable<unsigned> converse(Stream& stream, const http::request<http::string_body>& request)
{
    co_await http::async_write(stream, request, asio::use_awaitable);
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(answer_max);
    co_await http::async_read_header(stream, buffer, parser, asio::use_awaitable);
    co_return parser.get().result_int();
}

}

std::shared_ptr<const post_target> make_post_target(url where, http_headers headers)
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

awaitable<unsigned> http_post(std::shared_ptr<const post_target> target, http_headers headers,
                              std::string body)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto request = make_request(*target, headers, std::move(body));
    asio::ip::tcp::resolver resolver(executor);
    const auto places = co_await resolver.async_resolve(target->where.host, target->where.port,
                                                        asio::use_awaitable);
    if (!target->where.tls) {
        beast::tcp_stream plain(executor);
        co_await plain.async_connect(places, asio::use_awaitable);
        co_return co_await converse(plain, request);
    }
    const auto& secure = static_cast<const tls_target&>(*target);
    beast::ssl_stream<beast::tcp_stream> stream(executor, secure.context);
    if (!SSL_set_tlsext_host_name(stream.native_handle(), target->where.host.c_str()))
        throw std::runtime_error("could not name " + target->where.host + " to TLS");
    stream.set_verify_callback(ssl::host_name_verification(target->where.host));
    co_await beast::get_lowest_layer(stream).async_connect(places, asio::use_awaitable);
    co_await stream.async_handshake(ssl::stream_base::client, asio::use_awaitable);
    co_return co_await converse(stream, request);
}

}

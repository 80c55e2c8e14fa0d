#include "embedded/scratch.hpp"
#include "http/serving.hpp"
#include "support/process.hpp"

#include <cuebox/http/post.hpp>

#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <optional>

using namespace cuebox;
using namespace cuebox::http;
using namespace cuebox::http::test;
namespace ssl = asio::ssl;

namespace {

// Made for this test, and good for localhost alone; false without openssl.
bool make_certificate(const std::string& key, const std::string& certificate)
{
    try {
        return cuebox::test::run("openssl",
                                 {"req", "-x509", "-newkey", "ec", "-pkeyopt",
                                  "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                                  "/CN=test", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                                  key, "-out", certificate})
                   .exit == 0;
    }
    catch (const std::exception&) {
        return false;
    }
}

// Whom OpenSSL trusts, for as long as this is there.
class trusting
{
public:
    explicit trusting(const std::string& certificate)
    {
        if (const char* before = std::getenv("SSL_CERT_FILE"))
            before_ = before;
        ::setenv("SSL_CERT_FILE", certificate.c_str(), 1);
    }
    ~trusting()
    {
        if (before_)
            ::setenv("SSL_CERT_FILE", before_->c_str(), 1);
        else
            ::unsetenv("SSL_CERT_FILE");
    }
    trusting(const trusting&) = delete;
    trusting& operator=(const trusting&) = delete;

private:
    std::optional<std::string> before_;
};

awaitable<void> answer_one(asio::ip::tcp::acceptor& acceptor, ssl::context& context)
{
    auto socket = co_await acceptor.async_accept(asio::use_awaitable);
    ssl::stream<asio::ip::tcp::socket> stream(std::move(socket), context);
    error_code refused;
    const auto token = asio::redirect_error(asio::use_awaitable, refused);
    co_await stream.async_handshake(ssl::stream_base::server, token);
    if (refused)
        co_return;
    std::string received;
    co_await asio::async_read_until(stream, asio::dynamic_buffer(received), "{}", token);
    static constexpr std::string_view answer = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
    co_await asio::async_write(stream, asio::buffer(answer), token);
    co_await asio::async_read(stream, asio::dynamic_buffer(received), token);
}

// What comes of a post to a server with that certificate, by that name.
std::string post_to(const std::string& host, const std::string& key, const std::string& certificate)
{
    asio::io_context io{1};
    ssl::context context(ssl::context::tls_server);
    context.use_certificate_chain_file(certificate);
    context.use_private_key_file(key, ssl::context::pem);
    asio::ip::tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0});
    const std::string port = std::to_string(acceptor.local_endpoint().port());
    const url where = parse_url("https://" + host + ":" + port + "/").value();
    auto served = asio::co_spawn(io, answer_one(acceptor, context), asio::use_future);
    auto posted = asio::co_spawn(io, post(make_post_target(where), {}, "{}", {.within = 30s}),
                                 asio::use_future);
    io.run();
    served.get();
    try {
        return "answered " + std::to_string(posted.get().status);
    }
    catch (const error& failed) {
        const std::string what = failed.what();
        return what.substr(what.find(": ") + 2);
    }
}

}

TEST_CASE("over TLS a receiver has to be who it says it is", "[http]")
{
    const embedded::test::scratch scratch;
    const std::string key = scratch / "key.pem";
    const std::string certificate = scratch / "certificate.pem";
    if (!make_certificate(key, certificate))
        SKIP("no openssl on the PATH to make a certificate with: install it to test TLS");

    CHECK(post_to("localhost", key, certificate).starts_with("TLS: certificate verify failed"));

    const trusting trust(certificate);
    CHECK(post_to("localhost", key, certificate) == "answered 202");
    CHECK(post_to("127.0.0.1", key, certificate).starts_with("TLS: certificate verify failed"));
}

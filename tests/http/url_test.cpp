#include <cuebox/http/url.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace cuebox::http;

namespace {

// "scheme host port target", or "refused".
std::string parsed(std::string_view text)
{
    const auto found = parse_url(text);
    if (!found)
        return "refused";
    return std::string(found->tls ? "https " : "http ") + found->host + " " + found->port + " " +
           found->target;
}

bool loopback(std::string_view text)
{
    return parse_url(text).value().loopback();
}

}

TEST_CASE("a url is a scheme, a host, a port and the rest", "[http]")
{
    CHECK(parsed("http://shop.example") == "http shop.example 80 /");
    CHECK(parsed("https://shop.example/hook?a=b#part") == "https shop.example 443 /hook?a=b");
    CHECK(parsed("https://shop.example:8443/") == "https shop.example 8443 /");
    CHECK(parsed("http://shop.example:/x") == "http shop.example 80 /x");
    CHECK(parsed("http://shop.example?a=b") == "http shop.example 80 /?a=b");
    CHECK(parsed("http://[::1]:8080/x") == "http ::1 8080 /x");
    CHECK(parsed("https://[2001:db8::1]") == "https 2001:db8::1 443 /");
    CHECK(parsed("http://h:65535") == "http h 65535 /");
}

TEST_CASE("what is no url to post to is refused", "[http]")
{
    for (const char* text : {"",
                             "shop.example",
                             "ftp://shop.example",
                             "HTTP:/x",
                             "http://",
                             "http:///path",
                             "http://:80/",
                             "http://user:secret@shop.example/",
                             "http://h:port/",
                             "http://h:123456/",
                             "http://h:65536/",
                             "http://h:0/",
                             "http://[::1",
                             "http://[]/",
                             "http://[::1]80/",
                             "http://[::1]x",
                             "http://[h]/",
                             "http://[[::1]/",
                             "http://h[/",
                             "http://h/a b",
                             "http://h/a\r\nX-Evil: 1",
                             "http://h/\xc3\xa9"})
    {
        INFO(text);
        CHECK(parsed(text) == "refused");
    }
}

TEST_CASE("the Host header names the port unless it is the scheme's own", "[http]")
{
    CHECK(parse_url("http://h/")->authority() == "h");
    CHECK(parse_url("http://h:80/")->authority() == "h");
    CHECK(parse_url("https://h:80/")->authority() == "h:80");
    CHECK(parse_url("https://[::1]:443/")->authority() == "[::1]");
    CHECK(parse_url("http://[::1]:8080/")->authority() == "[::1]:8080");
}

TEST_CASE("only this machine itself is loopback, not a name that looks like it", "[http]")
{
    CHECK(loopback("http://localhost/"));
    CHECK(loopback("http://127.0.0.1:80/"));
    CHECK(loopback("http://127.8.9.10/"));
    CHECK(loopback("http://[::1]/"));
    CHECK_FALSE(loopback("http://127.0.0.1.evil.example/"));
    CHECK_FALSE(loopback("http://127.evil.example/"));
    CHECK_FALSE(loopback("http://localhost.evil.example/"));
    CHECK_FALSE(loopback("http://128.0.0.1/"));
    CHECK_FALSE(loopback("http://[::2]/"));
}

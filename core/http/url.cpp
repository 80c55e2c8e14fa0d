#include <cuebox/http/url.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>

namespace cuebox::http {

namespace {

bool is_port(std::string_view text)
{
    unsigned number = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc{} && read.ptr == end && number > 0 && number <= 65'535;
}

bool is_ipv6(const std::string& text)
{
    boost::system::error_code wrong;
    boost::asio::ip::make_address_v6(text, wrong);
    return !wrong;
}

}

std::string url::authority() const
{
    const bool bracket = host.find(':') != std::string::npos;
    const std::string name = bracket ? "[" + host + "]" : host;
    return port == (tls ? "443" : "80") ? name : name + ":" + port;
}

bool url::loopback() const
{
    // An address of it, not a name that begins like one: that may lead anywhere.
    boost::system::error_code none;
    const auto address = boost::asio::ip::make_address(host, none);
    return host == "localhost" || (!none && address.is_loopback());
}

std::optional<url> parse_url(std::string_view text)
{
    url found;
    if (text.starts_with("https://"))
        found.tls = true;
    else if (!text.starts_with("http://"))
        return std::nullopt;
    text.remove_prefix(found.tls ? 8 : 7);

    const auto end = std::min(text.find_first_of("/?#"), text.size());
    std::string_view place = text.substr(0, end);
    std::string_view rest = text.substr(end);
    rest = rest.substr(0, rest.find('#'));
    found.target = rest.starts_with("/") ? std::string(rest) : "/" + std::string(rest);
    if (place.find('@') != std::string_view::npos)
        return std::nullopt;

    std::string_view port;
    if (place.starts_with("[")) {
        const auto close = place.find(']');
        if (close == std::string_view::npos)
            return std::nullopt;
        found.host = place.substr(1, close - 1);
        if (!is_ipv6(found.host))
            return std::nullopt;
        port = place.substr(close + 1);
    }
    else {
        const auto colon = std::min(place.find(':'), place.size());
        found.host = place.substr(0, colon);
        port = place.substr(colon);
    }
    if (!port.empty() && port.front() != ':')
        return std::nullopt;
    port.remove_prefix(std::min<std::size_t>(1, port.size()));
    if (found.host.empty() || found.host.find_first_of("[]") != std::string::npos ||
        (!port.empty() && !is_port(port)))
        return std::nullopt;
    found.port = port.empty() ? (found.tls ? "443" : "80") : std::string(port);
    const bool printable =
        std::ranges::all_of(found.host + found.target, [](char c) { return c > ' ' && c < 0x7f; });
    if (!printable)
        return std::nullopt;
    return found;
}

}

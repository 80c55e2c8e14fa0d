#include "url.hpp"

#include <algorithm>

namespace cuebox::handlers {

std::string url::authority() const
{
    const bool bracket = host.find(':') != std::string::npos;
    const std::string name = bracket ? "[" + host + "]" : host;
    return port == (tls ? "443" : "80") ? name : name + ":" + port;
}

bool url::loopback() const
{
    return host == "localhost" || host == "::1" || host.starts_with("127.");
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
        port = place.substr(close + 1);
    }
    else {
        const auto colon = std::min(place.find(':'), place.size());
        found.host = place.substr(0, colon);
        port = place.substr(colon);
    }
    if (port.starts_with(":"))
        port.remove_prefix(1);
    const bool digits = std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
    if (found.host.empty() || !digits || port.size() > 5)
        return std::nullopt;
    found.port = port.empty() ? (found.tls ? "443" : "80") : std::string(port);
    const bool printable =
        std::ranges::all_of(found.host + found.target, [](char c) { return c > ' ' && c < 0x7f; });
    if (!printable)
        return std::nullopt;
    return found;
}

}

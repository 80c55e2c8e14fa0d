#include <cuebox/alerts/dsn.hpp>

#include <algorithm>

namespace cuebox::alerts {

namespace {

constexpr std::string_view shape = "expected https://KEY@host/PROJECT, as Sentry shows it under "
                                   "Client Keys";

// Both end up in a header or a path.
bool is_plain(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '-' || c == '_';
    });
}

std::string print_place(const dsn& from, std::string_view user)
{
    return std::string(from.envelopes.tls ? "https://" : "http://") + std::string(user) +
           from.envelopes.authority() + from.prefix + "/" + from.project;
}

}

std::string dsn::print() const
{
    return print_place(*this, key + "@");
}

std::string dsn::describe() const
{
    return print_place(*this, "");
}

dsn parse_dsn(std::string_view text, bool allow_plain_http)
{
    const auto scheme = text.find("://");
    if (scheme == std::string_view::npos)
        throw dsn_error(std::string(shape));
    const auto start = scheme + 3;
    const auto end = std::min(text.find_first_of("/?#", start), text.size());
    const std::string_view place = text.substr(start, end - start);
    const auto at = place.rfind('@');
    if (at == std::string_view::npos)
        throw dsn_error("has no key before the host: " + std::string(shape));

    dsn found;
    found.key = place.substr(0, std::min(place.find(':'), at));
    if (!is_plain(found.key))
        throw dsn_error("has no key before the host: " + std::string(shape));
    const auto where =
        http::parse_url(std::string(text.substr(0, start)) + std::string(place.substr(at + 1)) +
                        std::string(text.substr(end)));
    if (!where || where->target.find('?') != std::string::npos)
        throw dsn_error(std::string(shape));
    std::string_view path = where->target;
    while (path.ends_with('/'))
        path.remove_suffix(1);
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos || !is_plain(path.substr(slash + 1)))
        throw dsn_error("has no project after the host: " + std::string(shape));
    if (!where->tls && !where->loopback() && !allow_plain_http)
        throw dsn_error("is not https: alerts would travel in the open; set allow_plain_http if "
                        "that is meant");
    found.project = path.substr(slash + 1);
    found.prefix = path.substr(0, slash);
    found.envelopes = *where;
    found.envelopes.target = found.prefix + "/api/" + found.project + "/envelope/";
    return found;
}

}

#include <cuebox/pg/conninfo.hpp>
#include <cuebox/pg/url.hpp>

#include <libpq-fe.h>

#include <algorithm>
#include <memory>

namespace cuebox::pg {

namespace {

using settings = std::vector<std::pair<std::string, std::string>>;

// What it says itself, without the defaults.
settings read(std::string_view conninfo)
{
    const std::string text{conninfo};
    (void)detail::parse_conninfo({.conninfo = text}); // Throws, without a password in its words.
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
        PQconninfoParse(text.c_str(), nullptr), &PQconninfoFree};
    settings said;
    for (const auto* each = options.get(); each && each->keyword; ++each)
        if (each->val && *each->val)
            said.emplace_back(each->keyword, each->val);
    return said;
}

bool is_password(const settings::value_type& setting)
{
    return setting.first == "password" || setting.first == "sslpassword";
}

// `kept` are further letters that stay as they are.
std::string encode(std::string_view value, std::string_view kept = "")
{
    static constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string text;
    for (const char letter : value) {
        const auto byte = static_cast<unsigned char>(letter);
        if (plain.find(letter) != plain.npos || kept.find(letter) != kept.npos)
            text += letter;
        else
            text.append({'%', digits[byte >> 4U], digits[byte & 15U]});
    }
    return text;
}

std::string take(settings& from, std::string_view key)
{
    const auto found = std::ranges::find(from, key, &settings::value_type::first);
    if (found == from.end())
        return "";
    std::string value = std::move(found->second);
    from.erase(found);
    return value;
}

// A name or an address that can stand before a port; a list and a socket's directory cannot.
bool is_one_host(std::string_view host)
{
    return !host.empty() && host.find_first_of("/@,:") == host.npos;
}

}

bool has_password(std::string_view conninfo)
{
    return std::ranges::any_of(read(conninfo), is_password);
}

std::string print_url(std::string_view conninfo, passwords which)
{
    settings said = read(conninfo);
    if (which == passwords::left_out)
        std::erase_if(said, is_password);
    const std::string user = take(said, "user");
    const std::string password = user.empty() ? "" : take(said, "password");
    std::string url = "postgresql://" + encode(user);
    if (!password.empty())
        url += ":" + encode(password);
    if (!user.empty())
        url += "@";
    const auto host = std::ranges::find(said, "host", &settings::value_type::first);
    const auto port = std::ranges::find(said, "port", &settings::value_type::first);
    if (host != said.end() && is_one_host(host->second) &&
        (port == said.end() || port->second.find(',') == std::string::npos))
    {
        url += encode(take(said, "host"));
        if (const std::string number = take(said, "port"); !number.empty())
            url += ":" + number;
    }
    url += "/" + encode(take(said, "dbname"));
    const char* mark = "?";
    for (const auto& [name, value] : said) {
        url.append(mark).append(name).append("=").append(encode(value, "/,:"));
        mark = "&";
    }
    return url;
}

}

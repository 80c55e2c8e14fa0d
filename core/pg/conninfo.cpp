#include <cuebox/pg/conninfo.hpp>
#include <cuebox/pg/error.hpp>

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace cuebox::pg {

namespace detail {

namespace {

struct free_options
{
    void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using option_list = std::unique_ptr<PQconninfoOption, free_options>;

// It repeats nothing of the text: what could not be read may be the password.
[[noreturn]] void refuse_text()
{
    throw error(errc::connect, "",
                "the database URL does not parse: write postgresql://user@host:port/database, and "
                "percent-encode @ : / in the password");
}

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> parts;
    if (list.empty())
        return parts;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        parts.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// libpq's rule: as many ports as hosts, or one for all.
std::string nth(const std::vector<std::string>& list, std::size_t index)
{
    if (list.size() == 1)
        return list.front();
    return index < list.size() ? list[index] : "";
}

void collect(const PQconninfoOption* options, conninfo& into)
{
    for (; options && options->keyword; ++options)
        if (options->val)
            into.set_default(options->keyword, options->val);
}

std::string take(conninfo& from, std::string_view key)
{
    const auto found = std::ranges::find(
        from.settings, key, [](const auto& each) { return std::string_view(each.first); });
    if (found == from.settings.end())
        return "";
    std::string value = std::move(found->second);
    from.settings.erase(found);
    return value;
}

void take_targets(conninfo& info)
{
    const auto hosts = split(take(info, "host"));
    const auto addresses = split(take(info, "hostaddr"));
    const auto ports = split(take(info, "port"));
    const std::size_t count = std::max({hosts.size(), addresses.size(), std::size_t{1}});
    if (ports.size() > 1 && ports.size() != count)
        throw error(errc::connect, "",
                    "the database URL names " + std::to_string(ports.size()) + " ports for " +
                        std::to_string(count) + " hosts: give one port, or one for each host");
    for (std::size_t i = 0; i < count; ++i)
        info.targets.push_back({.host = i < hosts.size() ? hosts[i] : "",
                                .address = i < addresses.size() ? addresses[i] : "",
                                .port = nth(ports, i)});
}

bool has_after_first(std::string_view text, char what)
{
    return text.find(what, 1) != text.npos;
}

// A password with a bare @ or / in it ends there, as libpq reads a URL, and its rest goes on as the
// host, the port or the database, all of which are shown.
void refuse_spilled_password(std::string_view text, const std::vector<target>& targets)
{
    const bool is_url = text.starts_with("postgresql://") || text.starts_with("postgres://");
    for (const target& each : targets) {
        const bool may_be_path = !is_url && each.host.starts_with('/');
        if ((has_after_first(each.host, '@') && !may_be_path) ||
            each.port.find_first_not_of("0123456789") != each.port.npos)
            refuse_text();
    }
    if (!is_url)
        return;
    const std::string_view rest = text.substr(text.find("://") + 3);
    const std::string_view before_query = rest.substr(0, rest.find('?'));
    if (const auto path = before_query.find('/');
        path != before_query.npos && before_query.find('@', path) != before_query.npos)
        refuse_text();
}

bool is_address(std::string_view host)
{
    return host.find(':') != host.npos || host.find_first_not_of("0123456789.") == host.npos;
}

}

bool target::needs_lookup() const
{
    return address.empty() && !host.empty() && host[0] != '/' && host[0] != '@' &&
           !is_address(host);
}

std::string target::describe() const
{
    const std::string place = !host.empty() ? host : !address.empty() ? address : "local socket";
    const bool six = place[0] != '/' && place.find(':') != place.npos;
    return (six ? "[" + place + "]" : place) + ":" + (port.empty() ? "5432" : port);
}

const std::string* conninfo::find(std::string_view key) const
{
    for (const auto& [name, value] : settings)
        if (name == key)
            return &value;
    return nullptr;
}

void conninfo::set_default(std::string_view key, std::string value)
{
    if (!find(key) && !value.empty())
        settings.emplace_back(key, std::move(value));
}

conninfo parse_conninfo(const connect_options& options)
{
    char* message = nullptr;
    const option_list given{PQconninfoParse(options.conninfo.c_str(), &message)};
    if (!given) {
        PQfreemem(message);
        refuse_text();
    }
    conninfo info;
    collect(given.get(), info);
    // A service file names hosts that only libpq reads: leave it all to libpq.
    if (!info.find("service")) {
        const option_list defaults{PQconndefaults()};
        collect(defaults.get(), info);
    }
    take_targets(info);
    refuse_spilled_password(options.conninfo, info.targets);

    const auto count = [](auto duration) { return std::to_string(duration.count()); };
    info.set_default("keepalives_idle", count(options.keepalives_idle));
    info.set_default("keepalives_interval", count(options.keepalives_interval));
    info.set_default("keepalives_count", std::to_string(options.keepalives_count));
    info.set_default("tcp_user_timeout", count(options.tcp_user_timeout));
    info.set_default("fallback_application_name", options.application_name);
    info.set_default("client_encoding", "UTF8");
    return info;
}

}

std::string describe_database(std::string_view text)
{
    const auto info = detail::parse_conninfo({.conninfo = std::string(text)});
    std::string words;
    if (const auto* name = info.find("dbname"))
        words = *name + " on ";
    for (const auto& target : info.targets)
        words += (&target == &info.targets.front() ? "" : ", ") + target.describe();
    if (const auto* user = info.find("user"))
        words += " as " + *user;
    return words;
}

}

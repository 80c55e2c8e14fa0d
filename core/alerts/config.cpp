#include <cuebox/alerts/config.hpp>
#include <cuebox/config/read.hpp>

#include <algorithm>

namespace cuebox::alerts {

namespace {

constexpr std::size_t capacity_max = 1'000'000;

void check_capacity(const config::node& from, std::size_t capacity)
{
    if (capacity < 1 || capacity > capacity_max)
        from.refuse("capacity", "must be from 1 to 1000000");
}

template <class Config>
void check_delivery(const config::node& from, const Config& of)
{
    check_capacity(from, of.capacity);
    if (of.timeout.count() <= 0)
        from.refuse("timeout", "must be at least 1ms");
    if (of.attempts < 1)
        from.refuse("attempts", "must be at least 1");
}

template <class Config>
sink_options start_with(const Config& of)
{
    sink_options made;
    made.name = of.name;
    made.capacity = of.capacity;
    made.timeout = of.timeout;
    made.rules.attempts_max = of.attempts;
    return made;
}

void check_headers(const config::node& from, const std::map<std::string, std::string>& headers)
{
    for (const auto& [name, value] : headers) {
        if (!http::is_header_name(name))
            from.refuse(name, "is no name of an HTTP header: letters, digits and dashes");
        if (!http::is_header_value(value))
            from.refuse(name, "has a line break or another control character in it");
    }
}

sink_options read_sentry(const config::node& from, const sentry_origin& defaults)
{
    const auto of = config::read<sentry_config>(from);
    sentry_sink to;
    try {
        to.to = parse_dsn(of.dsn, of.allow_plain_http);
    }
    catch (const dsn_error& error) {
        from.refuse("dsn", error.what());
    }
    const auto either = [](const std::string& given, const std::string& otherwise) {
        return given.empty() ? otherwise : given;
    };
    to.from.environment = either(of.environment, defaults.environment);
    to.from.release = either(of.release, defaults.release);
    to.from.server_name = either(of.server_name, defaults.server_name);
    sink_options made = start_with(of);
    made.kind = std::move(to);
    return made;
}

sink_options read_webhook(const config::node& from, const sentry_origin&)
{
    const auto of = config::read<webhook_config>(from);
    const auto where = http::parse_url(of.url);
    if (!where)
        from.refuse("url", "expected http://host/path or https://host/path, without user and "
                           "password: those go into headers");
    if (!where->tls && !where->loopback() && !of.allow_plain_http)
        from.refuse("url", "is not https: alerts would travel in the open; set allow_plain_http "
                           "if that is meant");
    if (const auto headers = from.find("headers"))
        check_headers(*headers, of.headers);
    sink_options made = start_with(of);
    made.kind = webhook_sink{.to = *where, .headers = {of.headers.begin(), of.headers.end()}};
    return made;
}

sink_options read_log(const config::node& from, const sentry_origin&)
{
    const auto of = config::read<log_config>(from);
    sink_options made;
    made.name = of.name;
    made.capacity = of.capacity;
    return made;
}

struct kind
{
    std::string_view name;
    sink_options (*read)(const config::node& from, const sentry_origin& defaults);
};
constexpr kind kinds[] = {{"sentry", read_sentry}, {"webhook", read_webhook}, {"log", read_log}};

// The kind, numbered where that is taken: "sentry", "sentry-2".
std::string find_name(std::string_view kind, const std::vector<sink_options>& taken)
{
    std::string name(kind);
    for (int number = 2; std::ranges::count(taken, name, &sink_options::name) > 0; ++number)
        name = std::string(kind) + "-" + std::to_string(number);
    return name;
}

}

void sentry_config::validate(const config::node& from) const
{
    check_delivery(from, *this);
}

void webhook_config::validate(const config::node& from) const
{
    check_delivery(from, *this);
}

void log_config::validate(const config::node& from) const
{
    check_capacity(from, capacity);
}

std::vector<sink_options> read_alerts(std::span<const config::node> entries,
                                      const sentry_origin& from)
{
    std::vector<sink_options> all;
    for (const config::node& each : entries) {
        each.expect(config::kind::object);
        const auto given = each.find("kind");
        if (!given)
            each.refuse("kind", "missing: take one of sentry, webhook, log");
        const auto* of = std::ranges::find(kinds, given->as_string(), &kind::name);
        if (of == std::end(kinds))
            given->refuse("no such kind: take one of sentry, webhook, log");
        sink_options made = of->read(each, from);
        if (made.name.empty())
            made.name = find_name(of->name, all);
        if (std::ranges::count(all, made.name, &sink_options::name) > 0)
            each.refuse("name", "another entry has that name: give each its own");
        all.push_back(std::move(made));
    }
    return all;
}

}

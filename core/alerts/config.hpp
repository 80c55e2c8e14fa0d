#pragma once

#include <cuebox/alerts/sink_options.hpp>
#include <cuebox/config/node.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace cuebox::alerts {

// How an entry of `alerts` is written, by its kind.

struct sentry_config
{
    // In metrics and log lines; the kind, unless given.
    std::string name;
    // As Sentry shows it; a good place for what env substitution brings in.
    std::string dsn;
    // What Sentry filters by.
    std::string environment;
    std::string release;
    // This machine's name, unless given.
    std::string server_name;
    // Without TLS an alert can be read on the way: only to this machine, unless this says so.
    bool allow_plain_http = false;
    // How many alerts may wait; more are dropped and counted.
    std::size_t capacity = sink_options{}.capacity;
    // How long one attempt may take.
    std::chrono::milliseconds timeout{10'000};
    // How often one alert is tried.
    int attempts = delivery_rules{}.attempts_max;

    static constexpr std::string_view required[] = {"dsn"};
    static constexpr std::string_view read_elsewhere[] = {"kind"};
    void validate(const config::node& from) const;
};

struct webhook_config
{
    std::string name;
    std::string url;
    // Added to each request; a good place for what env substitution brings in.
    std::map<std::string, std::string> headers;
    bool allow_plain_http = false;
    std::size_t capacity = sink_options{}.capacity;
    std::chrono::milliseconds timeout{10'000};
    int attempts = delivery_rules{}.attempts_max;

    static constexpr std::string_view required[] = {"url"};
    static constexpr std::string_view read_elsewhere[] = {"kind"};
    void validate(const config::node& from) const;
};

struct log_config
{
    std::string name;
    std::size_t capacity = sink_options{}.capacity;

    static constexpr std::string_view read_elsewhere[] = {"kind"};
    void validate(const config::node& from) const;
};

// The entries of `alerts`, in their order. `from` is what Sentry is told where an entry says
// nothing. Throws config::error, naming the path, for what it cannot take; it quotes no secret.
std::vector<sink_options> read_alerts(std::span<const config::node> entries,
                                      const sentry_origin& from = {});

}

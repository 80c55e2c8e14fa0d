#pragma once

#include <cuebox/outbox/outgoing.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace cuebox::cli {

// What is to be published, from arguments or from a line of NDJSON.
struct publication
{
    std::string type{};
    int version = 1;
    std::string source{};
    std::string payload = "{}";
    outbox::event_options options{};
};

// One object with type, source, payload and optionally target, key, domain_id, version, class,
// delay, generation and trace_context. Another key is refused, with the name it was likely meant to
// be. The source may be left out when there is a default for it.
publication parse_publication(std::string_view json, const std::string& default_source);

// "90s" and so on, as an error that names the field otherwise.
std::chrono::microseconds parse_delay(std::string_view text);

}

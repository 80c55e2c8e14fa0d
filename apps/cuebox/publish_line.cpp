#include "publish_line.hpp"

#include <cuebox/cli/command.hpp>
#include <cuebox/config/duration.hpp>
#include <cuebox/config/nearest.hpp>
#include <cuebox/event/decode.hpp>
#include <cuebox/event/trace.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace cuebox::cli {

namespace {

constexpr std::array<std::string_view, 10> keys{"type",  "source",    "payload", "target",
                                                "key",   "domain_id", "version", "class",
                                                "delay", "generation"};
constexpr std::string_view trace_key = "trace_context";

using members = std::map<std::string, event::raw_json>;

void refuse_unknown(const members& given)
{
    std::vector<std::string_view> valid(keys.begin(), keys.end());
    valid.push_back(trace_key);
    for (const auto& [name, value] : given) {
        if (std::ranges::find(valid, name) != valid.end())
            continue;
        const auto nearest = config::nearest_name(name, valid);
        throw failure{"unknown key \"" + name + "\"" +
                      (nearest ? ": did you mean \"" + std::string(*nearest) + "\"?"
                               : ": take type, source, payload, target, key, domain_id, version, "
                                 "class, delay, generation, trace_context")};
    }
}

template <class T>
std::optional<T> take(const members& given, const std::string& name)
{
    const auto found = given.find(name);
    if (found == given.end() || found->second.text == "null")
        return std::nullopt;
    try {
        return event::decode<T>(found->second.text);
    }
    catch (const event::payload_error& error) {
        throw failure{"/" + name + error.path() + ": " + error.why()};
    }
}

event::traceparent read_trace(const std::string& text)
{
    const auto trace = event::parse_traceparent(text);
    if (!trace)
        throw failure{"/trace_context: \"" + text +
                      "\" is not a W3C traceparent: write "
                      "00-<32 hex digits>-<16 hex digits>-<2 hex digits>"};
    return *trace;
}

}

std::chrono::microseconds parse_delay(std::string_view text)
{
    const auto delay = config::parse_duration(text);
    if (!delay)
        throw failure{"delay: \"" + std::string(text) +
                      "\" is not a duration: write 250ms, 90s, 5m or 1.5h"};
    return std::chrono::duration_cast<std::chrono::microseconds>(*delay);
}

publication parse_publication(std::string_view json, const std::string& default_source)
{
    const auto given = event::decode<members>(json);
    refuse_unknown(given);
    const auto type = take<std::string>(given, "type");
    if (!type)
        throw failure{"no \"type\": name the event type"};
    const auto source = take<std::string>(given, "source");
    if (!source && default_source.empty())
        throw failure{"no \"source\": name the producing context, or give --source for all"};

    publication out{.type = *type,
                    .version = take<int>(given, "version").value_or(1),
                    .source = source.value_or(default_source)};
    if (const auto payload = given.find("payload"); payload != given.end())
        out.payload = payload->second.text;
    out.options = {.target = take<std::string>(given, "target"),
                   .key = take<std::string>(given, "key"),
                   .domain_id = take<event::uuid>(given, "domain_id"),
                   .processing_class = take<std::string>(given, "class").value_or(""),
                   .generation = take<std::int64_t>(given, "generation")};
    if (const auto delay = take<std::string>(given, "delay"))
        out.options.delay = parse_delay(*delay);
    if (const auto trace = take<std::string>(given, std::string(trace_key)))
        out.options.trace = read_trace(*trace);
    return out;
}

}

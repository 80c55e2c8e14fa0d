#include <cuebox/config/read.hpp>
#include <cuebox/event/envelope.hpp>
#include <cuebox/handlers/kinds/kind.hpp>
#include <cuebox/http/post.hpp>

#include <map>

namespace cuebox::handlers {

struct webhook_params
{
    std::string url;
    // Added to each request; a good place for what env substitution brings in.
    std::map<std::string, std::string> headers;
    // Without TLS a payload can be read on the way: only to this machine, unless this says so.
    bool allow_plain_http = false;

    static constexpr std::string_view required[] = {"url"};
    static constexpr auto& read_elsewhere = handler_keys;
};

namespace {

// A receiver that is busy, slow or down will do better later; one that says no means it.
bool is_terminal(unsigned status)
{
    return status >= 400 && status < 500 && status != 408 && status != 425 && status != 429;
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

// Not in the coroutine: GCC 12 destroys the elements of a list twice that is written in one.
http::headers headers_of(const delivery<raw_payload>& event)
{
    const auto& envelope = event.envelope();
    http::headers headers{{"Idempotency-Key", envelope.idempotency_key},
                          {"X-Cuebox-Event-Id", event::print_uuid(envelope.event_id)},
                          {"X-Cuebox-Event-Type", envelope.event_type},
                          {"X-Cuebox-Attempt", std::to_string(event.attempt())},
                          {"X-Cuebox-Claim-Token", event::print_uuid(event.claim_token())}};
    if (const auto& trace = event.trace())
        headers.emplace_back("traceparent", event::print_traceparent(*trace));
    return headers;
}

awaitable<void> post_event(std::shared_ptr<const http::post_target> target,
                           delivery<raw_payload> event)
{
    http::headers headers = headers_of(event);
    std::string body = event::encode(event.envelope());
    // With a name, since GCC 12 destroys a default argument twice where the call is awaited.
    const http::post_options options;
    const http::answer answer =
        co_await http::post(target, std::move(headers), std::move(body), options);
    const unsigned status = answer.status;
    if (status >= 200 && status < 300)
        co_return;
    const std::string error_class = "HTTP " + std::to_string(status);
    const std::string what = target->where.authority() + " answered " + std::to_string(status);
    if (is_terminal(status))
        throw terminal_error(error_class, what);
    throw transient_error(error_class, what);
}

}

handling::handler make_webhook(kind_base base, const config::node& from)
{
    auto params = config::read<webhook_params>(from);
    const auto where = http::parse_url(params.url);
    if (!where)
        from.refuse("url", "expected http://host/path or https://host/path, without user and "
                           "password: those go into headers");
    if (!where->tls && !where->loopback() && !params.allow_plain_http)
        from.refuse("url", "is not https: events would travel in the open; set "
                           "allow_plain_http if that is meant");
    if (const auto headers = from.find("headers"))
        check_headers(*headers, params.headers);
    if (base.options.timeout == duration{})
        base.options.timeout = std::chrono::seconds(30);
    auto target = http::make_post_target(*where, {params.headers.begin(), params.headers.end()});
    auto run = [target](delivery<raw_payload> event) {
        return post_event(target, std::move(event));
    };
    return make_handler<raw_payload>(std::move(base.name), std::move(base.event_types),
                                     std::move(run), std::move(base.options));
}

}

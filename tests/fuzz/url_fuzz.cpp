#include "target.hpp"

#include <cuebox/alerts/attempt.hpp>
#include <cuebox/alerts/dsn.hpp>
#include <cuebox/alerts/text.hpp>
#include <cuebox/event/utf8.hpp>
#include <cuebox/http/header.hpp>

// What configs and receivers write and requests are made of: URLs, DSNs, Retry-After; and what
// exceptions say.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace cuebox;
    const std::string_view text = fuzz::as_text(data, size);

    if (const auto found = http::parse_url(text)) {
        fuzz::require(http::is_header_value(found->authority()), "an authority is a header");
        fuzz::require(http::is_header_value(found->target), "a target stays on its line");
        const auto again = http::parse_url((found->tls ? "https://" : "http://") +
                                           found->authority() + found->target);
        fuzz::require(again && again->host == found->host && again->port == found->port &&
                          again->target == found->target,
                      "a url that is read is printed the same");
    }
    try {
        const alerts::dsn found = alerts::parse_dsn(text, true);
        fuzz::require(alerts::parse_dsn(found.print(), true).print() == found.print(),
                      "a DSN that is read is printed the same");
    }
    catch (const alerts::dsn_error&) {
    }
    const auto wait = alerts::parse_retry_after(text, {});
    fuzz::require(!wait || *wait >= duration{}, "nobody waits less than no time");
    const std::string clean = alerts::clean(text, 50);
    fuzz::require(clean.size() <= 50 && event::is_utf8(clean), "what is clean is text, and short");
    fuzz::require(!alerts::cause_of(text).empty(), "every error has a cause");
    return 0;
}

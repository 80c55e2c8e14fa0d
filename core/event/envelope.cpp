#include <cuebox/event/check.hpp>
#include <cuebox/event/decode.hpp>
#include <cuebox/event/envelope.hpp>
#include <cuebox/event/trace.hpp>
#include <cuebox/event/utf8.hpp>

#include <algorithm>

namespace cuebox::event {

namespace {

// Around the payload: names of full length, each byte of them written as an escape of six.
constexpr limits envelope_limits{
    .bytes = payload_max + 6 * (3 * name_max + idempotency_key_max) + 1024, .depth = depth_max + 1};

bool is_control(char letter)
{
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7F;
}

void check_text(std::string_view field, std::string_view text, std::size_t max)
{
    if (text.empty())
        throw envelope_error{field, "empty; give it a value"};
    if (text.size() > max)
        throw envelope_error{field, std::to_string(text.size()) + " bytes; shorten it to at most " +
                                        std::to_string(max)};
    if (!is_utf8(text))
        throw envelope_error{field, "invalid UTF-8"};
    if (std::ranges::any_of(text, is_control))
        throw envelope_error{field, "holds a control character; leave it out"};
}

// What a payload is checked for when it comes as text; its places are named within the envelope.
void check_inner(const envelope& envelope)
{
    validate(envelope);
    try {
        check_payload(envelope.payload.text);
    }
    catch (const payload_error& inside) {
        throw payload_error{"/payload" + inside.path(), inside.why()};
    }
}

}

void validate(const envelope& envelope)
{
    if (envelope.event_id.is_nil())
        throw envelope_error{"event_id", "all zero; take one from new_event_id()"};
    check_text("event_type", envelope.event_type, name_max);
    if (envelope.event_version < 1)
        throw envelope_error{"event_version",
                             std::to_string(envelope.event_version) + "; versions start at 1"};
    if (!has_text(envelope.occurred_at))
        throw envelope_error{"occurred_at", "a time outside the years 0001 to 9999"};
    check_text("source", envelope.source, name_max);
    if (envelope.target)
        check_text("target", *envelope.target, name_max);
    check_text("idempotency_key", envelope.idempotency_key, idempotency_key_max);
    if (envelope.trace_context && !parse_traceparent(*envelope.trace_context))
        throw envelope_error{"trace_context", "not a W3C traceparent: expected "
                                              "00-<32 hex digits>-<16 hex digits>-<2 hex digits>, "
                                              "in lower case and no id all zero"};
}

std::string encode(const envelope& envelope)
{
    check_inner(envelope);
    std::string out;
    encode_into(out, envelope, envelope_limits);
    return out;
}

envelope decode_envelope(std::string_view json)
{
    envelope read;
    reader in{json, envelope_limits.depth};
    detail::read(in, read);
    in.end();
    check_inner(read);
    return read;
}

}

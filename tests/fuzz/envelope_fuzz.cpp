#include "target.hpp"

#include <cuebox/event/check.hpp>
#include <cuebox/event/envelope.hpp>
#include <cuebox/event/trace.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace cuebox;
    const auto json = fuzz::as_text(data, size);
    event::envelope first;
    try {
        first = event::decode_envelope(json);
    }
    catch (const event::payload_error&) {
        return 0;
    }
    catch (const event::envelope_error&) {
        return 0;
    }
    event::check_payload(first.payload.text);
    fuzz::require(event::decode_envelope(event::encode(first)) == first,
                  "an envelope that decodes, encodes to the same");
    if (first.trace_context)
        fuzz::require(print_traceparent(*event::parse_traceparent(*first.trace_context)) ==
                          *first.trace_context,
                      "a traceparent that is read is printed the same");
    return 0;
}

#include "orders.hpp"
#include "refusal.hpp"

#include <cuebox/event/channel.hpp>
#include <cuebox/event/envelope.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::event;
using namespace cuebox::event::test;
using namespace std::string_literals;

namespace {

constexpr auto* trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

envelope some_envelope()
{
    return {.event_id = *parse_uuid("01938a5e-7c3b-7def-8123-456789abcdef"),
            .event_type = "order.placed",
            .event_version = 2,
            .occurred_at = *parse_timestamp("2026-11-16T03:44:05.123456Z"),
            .source = "shop",
            .target = "billing",
            .domain_id = *parse_uuid("11111111-2222-3333-4444-555555555555"),
            .payload = {R"({"number":1})"},
            .idempotency_key = "order-1",
            .trace_context = trace};
}

constexpr std::string_view some_envelope_json =
    R"({"event_id":"01938a5e-7c3b-7def-8123-456789abcdef","event_type":"order.placed",)"
    R"("event_version":2,"occurred_at":"2026-11-16T03:44:05.123456Z","source":"shop",)"
    R"("target":"billing","domain_id":"11111111-2222-3333-4444-555555555555",)"
    R"("payload":{"number":1},"idempotency_key":"order-1",)"
    R"("trace_context":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})";

template <class Change>
std::string refusal_after(Change change)
{
    auto envelope = some_envelope();
    change(envelope);
    return refusal([&envelope] { validate(envelope); });
}

}

TEST_CASE("an envelope is one line of JSON with its payload inside", "[event]")
{
    REQUIRE(encode(some_envelope()) == some_envelope_json);
    REQUIRE(decode_envelope(some_envelope_json) == some_envelope());
}

TEST_CASE("what an envelope does not have is left out", "[event]")
{
    auto broadcast = some_envelope();
    broadcast.target.reset();
    broadcast.domain_id.reset();
    broadcast.trace_context.reset();

    const auto json = encode(broadcast);

    REQUIRE(json.find("target") == std::string::npos);
    REQUIRE(decode_envelope(json) == broadcast);
}

TEST_CASE("a new event has an id, which is its key, and the time", "[event]")
{
    const auto wrapped = wrap(some_order(), "shop");

    validate(wrapped);
    REQUIRE(wrapped.event_type == "order.placed");
    REQUIRE(wrapped.event_version == 1);
    REQUIRE(wrapped.idempotency_key == print_uuid(wrapped.event_id));
    REQUIRE(now() - wrapped.occurred_at < std::chrono::minutes{1});
    REQUIRE(decode<order_placed>(wrapped.payload.text) == some_order());
}

TEST_CASE("a name that is empty, too long or unprintable is refused by its field", "[event]")
{
    REQUIRE(refusal_after([](envelope& e) { e.event_type = ""; }) ==
            "event_type: empty; give it a value");
    REQUIRE(refusal_after([](envelope& e) { e.source = ""; }) == "source: empty; give it a value");
    REQUIRE(refusal_after([](envelope& e) { e.target = ""; }) == "target: empty; give it a value");
    REQUIRE(refusal_after([](envelope& e) { e.idempotency_key = ""; }) ==
            "idempotency_key: empty; give it a value");
    REQUIRE(refusal_after([](envelope& e) { e.source.assign(255, 'x'); }) == "not refused");
    REQUIRE(refusal_after([](envelope& e) { e.source.assign(256, 'x'); }) ==
            "source: 256 bytes; shorten it to at most 255");
    REQUIRE(refusal_after([](envelope& e) { e.idempotency_key.assign(512, 'x'); }) ==
            "not refused");
    REQUIRE(refusal_after([](envelope& e) { e.idempotency_key.assign(513, 'x'); }) ==
            "idempotency_key: 513 bytes; shorten it to at most 512");
    REQUIRE(refusal_after([](envelope& e) { e.target = "a\0b"s; }) ==
            "target: holds a control character; leave it out");
    REQUIRE(refusal_after([](envelope& e) { e.event_type = "a\nb"; }) ==
            "event_type: holds a control character; leave it out");
    REQUIRE(refusal_after([](envelope& e) { e.event_type = "a\xFF"; }) ==
            "event_type: invalid UTF-8");
}

TEST_CASE("ids, versions, times and traces are held to their form", "[event]")
{
    REQUIRE(refusal_after([](envelope& e) { e.event_id = {}; }) ==
            "event_id: all zero; take one from new_event_id()");
    REQUIRE(refusal_after([](envelope& e) { e.event_version = 0; }) ==
            "event_version: 0; versions start at 1");
    REQUIRE(refusal_after([](envelope& e) { e.occurred_at = timestamp::max(); }) ==
            "occurred_at: a time outside the years 0001 to 9999");
    REQUIRE(refusal_after([](envelope& e) {
                e.trace_context = "00-abc";
            }).starts_with("trace_context: not a W3C traceparent: expected 00-<32 hex digits>"));
}

TEST_CASE("a wrong payload is named by its place in the envelope", "[event]")
{
    auto wrong = some_envelope();
    wrong.payload.text = R"({"a":[1,"\u0000"]})";
    REQUIRE(refusal([&] { encode(wrong); }) ==
            "/payload/a/1: \\u0000 cannot be stored by Postgres");

    wrong.payload.text = "[]";
    REQUIRE(refusal([&] { encode(wrong); }) == "/payload: a payload is an object, got array");

    auto json = std::string{some_envelope_json};
    json.replace(json.find(R"({"number":1})"), 12, R"({"a":1,"a":2})");
    REQUIRE(refusal([&] { decode_envelope(json); }) == "/payload/a: the key is there twice");
}

TEST_CASE("an envelope around the largest and deepest payload still passes", "[event]")
{
    auto large = some_envelope();
    large.source = std::string(name_max, '"');
    large.idempotency_key = std::string(idempotency_key_max, '\\');
    const auto levels = depth_max - 1;
    large.payload.text = R"({"a":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
    large.payload.text.insert(1, payload_max - large.payload.text.size(), ' ');

    REQUIRE(decode_envelope(encode(large)) == large);
}

TEST_CASE("a payload type states its event and version", "[event]")
{
    STATIC_REQUIRE(typed_payload<order_placed>);
    STATIC_REQUIRE_FALSE(typed_payload<item>);
    STATIC_REQUIRE_FALSE(typed_payload<int>);
}

TEST_CASE("a channel carries the generation, and the class if there is one", "[event]")
{
    REQUIRE(channel_for(7) == "outbox_gen_7");
    REQUIRE(channel_for(7, "bulk_2") == "outbox_gen_7_bulk_2");
    REQUIRE(channel_for(9223372036854775807) == "outbox_gen_9223372036854775807");
    REQUIRE(channel_for(9223372036854775807, std::string(32, 'x')).size() == 63);
}

TEST_CASE("what makes no channel name is refused", "[event]")
{
    REQUIRE(refusal([] { channel_for(-1); }) == "generation: -1; generations are not negative");
    REQUIRE(refusal([] { channel_for(1, "Bulk"); }) ==
            "class: \"Bulk\" makes no channel name; "
            "use at most 63 of a-z, 0-9 and _ in \"outbox_gen_1_Bulk\"");
    REQUIRE(refusal([] { channel_for(1, std::string(51, 'x')); }).starts_with("class: "));
    for (const auto* bad : {"a b", "a-b", "a;b", "ä", "a\"b"})
        REQUIRE(refusal([bad] { channel_for(1, bad); }).starts_with("class: "));
}

TEST_CASE("channel names are those the database takes", "[event]")
{
    REQUIRE(is_channel_name("outbox_default"));
    REQUIRE(is_channel_name("_"));
    REQUIRE_FALSE(is_channel_name(""));
    REQUIRE_FALSE(is_channel_name("1a"));
    REQUIRE_FALSE(is_channel_name(std::string(64, 'a')));
}

#include <cuebox/otel/otel.hpp>

#include <catch2/catch_test_macros.hpp>
#include <tao/json.hpp>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <thread>
#include <worker/http_receiver.hpp>

using namespace cuebox;
using namespace std::chrono_literals;
using worker::test::http_receiver;

namespace {

// Long enough for any machine: a wait that ends this way is a failure.
constexpr auto long_enough = 60s;

int thank(const std::string&, std::size_t)
{
    return 200;
}
int say_nothing(const std::string&, std::size_t)
{
    return 0;
}

otel::exporter_options to(const http_receiver& receiver)
{
    return {.endpoint = receiver.url("/v1/traces"),
            .service = "shop",
            .json = true,
            .timeout = long_enough,
            .schedule_delay = 10ms};
}

telemetry::span some_span()
{
    return {.context = event::new_trace(), .name = "work"};
}

std::string body(const std::string& request)
{
    return request.substr(request.find("\r\n\r\n") + 4);
}

// Every span that arrived, from whichever request.
std::vector<tao::json::value> spans(const http_receiver& receiver)
{
    std::vector<tao::json::value> all;
    for (const std::string& request : receiver.requests()) {
        const auto sent = tao::json::from_string(body(request));
        for (const auto& resource : sent.at("resourceSpans").get_array())
            for (const auto& scope : resource.at("scopeSpans").get_array())
                for (const auto& span : scope.at("spans").get_array())
                    all.push_back(span);
    }
    return all;
}

// OTLP writes attributes as a list: {"key": k, "value": {"stringValue": v}}.
tao::json::value attribute(const tao::json::value& of, const std::string& key)
{
    for (const auto& each : of.at("attributes").get_array())
        if (each.at("key").get_string() == key)
            return each.at("value");
    return tao::json::null;
}

tao::json::value text(const std::string& value)
{
    return {{"stringValue", value}};
}

// A variable of the environment for as long as this lives.
struct variable
{
    variable(const char* name_, const std::string& value) : name(name_)
    {
        ::setenv(name, value.c_str(), 1);
    }
    ~variable() { ::unsetenv(name); }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;

    const char* name;
};

}

TEST_CASE("a publish and its handling arrive as two spans of one trace", "[otel]")
{
    http_receiver receiver{thank};
    auto options = to(receiver);
    options.environment = "test";
    options.version = "1.2.3";
    otel::exporter exporter{options};
    const auto sink = exporter.sink();
    const auto trace =
        *event::parse_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    auto handled = trace;
    handled.span_id = {1, 2, 3, 4, 5, 6, 7, 8};
    const event::timestamp noon{1'800'000'000'000'000us};

    sink({.context = trace,
          .name = "publish order.placed",
          .kind = telemetry::span::role::producer,
          .began_at = noon,
          .ended_at = noon + 250us});
    sink({.context = handled,
          .parent = trace.span_id,
          .name = "handle order.placed",
          .kind = telemetry::span::role::consumer,
          .began_at = noon + 1s,
          .ended_at = noon + 3s,
          .error = "caf\xe9 closed",
          .attributes = {
              {"handler_name", "shop.bill"}, {"attempts", 2}, {"share", 0.5}, {"dead", true}}});
    REQUIRE(exporter.stop(long_enough));

    const auto arrived = spans(receiver);
    REQUIRE(arrived.size() == 2);
    const auto& publish = arrived[0];
    CHECK(publish.at("traceId") == "0af7651916cd43dd8448eb211c80319c");
    CHECK(publish.at("spanId") == "b7ad6b7169203331");
    CHECK_FALSE(publish.find("parentSpanId"));
    CHECK(publish.at("name") == "publish order.placed");
    CHECK(publish.at("kind") == 4);
    CHECK(publish.at("startTimeUnixNano") == "1800000000000000000");
    CHECK(publish.at("endTimeUnixNano") == "1800000000000250000");
    CHECK_FALSE(publish.find("status"));

    const auto& handle = arrived[1];
    CHECK(handle.at("traceId") == publish.at("traceId"));
    CHECK(handle.at("spanId") == "0102030405060708");
    CHECK(handle.at("parentSpanId") == publish.at("spanId"));
    CHECK(handle.at("kind") == 5);
    CHECK(handle.at("startTimeUnixNano") == "1800000001000000000");
    CHECK(handle.at("endTimeUnixNano") == "1800000003000000000");
    CHECK(handle.at("status").at("code") == 2);
    CHECK(handle.at("status").at("message") == "caf\uFFFD closed");
    CHECK(attribute(handle, "handler_name") == text("shop.bill"));
    CHECK(attribute(handle, "attempts") == tao::json::value{{"intValue", "2"}});
    CHECK(attribute(handle, "share") == tao::json::value{{"doubleValue", 0.5}});
    CHECK(attribute(handle, "dead") == tao::json::value{{"boolValue", true}});

    const auto request = tao::json::from_string(body(receiver.requests().front()));
    const auto& from = request.at("resourceSpans").at(0);
    CHECK(attribute(from.at("resource"), "service.name") == text("shop"));
    CHECK(attribute(from.at("resource"), "service.version") == text("1.2.3"));
    CHECK(attribute(from.at("resource"), "deployment.environment.name") == text("test"));
    CHECK(from.at("scopeSpans").at(0).at("scope").at("name") == "cuebox");
    CHECK(exporter.counts().exported == 2);
    CHECK(exporter.counts().dropped == 0);
}

TEST_CASE("OpenTelemetry's own variables say where spans go and who sends them", "[otel]")
{
    http_receiver receiver{thank};
    const variable where{"OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url("")};
    const variable with{"OTEL_EXPORTER_OTLP_HEADERS", "x-key=from-the-environment,x-team=shop"};
    const variable who{"OTEL_SERVICE_NAME", "named-outside"};
    const variable what{"OTEL_RESOURCE_ATTRIBUTES", "region=north,service.name=less"};

    otel::exporter exporter{{.headers = {{"X-Key", "given"}}, .schedule_delay = 10ms}};
    exporter.sink()(some_span());
    REQUIRE(exporter.stop(long_enough));

    REQUIRE(receiver.requests().size() == 1);
    const std::string request = receiver.requests().front();
    CHECK(request.starts_with("POST /v1/traces HTTP/1.1\r\n"));
    CHECK(request.find("application/x-protobuf") != request.npos);
    CHECK(request.find("x-team: shop") != request.npos);
    CHECK(request.find("X-Key: given") != request.npos);
    CHECK(request.find("from-the-environment") == request.npos);
    CHECK(request.find("named-outside") != request.npos);
    CHECK(request.find("north") != request.npos);
}

TEST_CASE("a flush waits for what was handed over before it", "[otel]")
{
    http_receiver receiver{thank};
    otel::exporter exporter{to(receiver)};
    const auto sink = exporter.sink();

    for (int i = 0; i < 3; ++i)
        sink(some_span());
    REQUIRE(exporter.force_flush(long_enough));

    CHECK(spans(receiver).size() == 3);
    CHECK(exporter.counts().exported == 3);
    CHECK(exporter.counts().waiting == 0);
}

TEST_CASE("a span of a trace that is not sampled is passed over", "[otel]")
{
    http_receiver receiver{thank};
    otel::exporter exporter{to(receiver)};
    auto span = some_span();
    span.context.flags = 0;

    exporter.sink()(span);
    REQUIRE(exporter.stop(long_enough));

    CHECK(receiver.requests().empty());
    CHECK(exporter.counts().dropped == 0);
}

TEST_CASE("what the receiver refuses is dropped, and said once", "[otel]")
{
    http_receiver receiver{
        [](const std::string&, std::size_t before) { return before < 2 ? 400 : 200; }};
    std::vector<std::string> said;
    auto options = to(receiver);
    options.headers = {{"authorization", "Bearer hush"}};
    options.log = telemetry::logger{[&](const telemetry::line& line) {
        said.push_back(std::string(line.message));
        for (const auto& field : line.fields)
            if (const auto* value = std::get_if<std::string>(&field.value))
                said.back() += " " + *value;
    }};
    otel::exporter exporter{options};
    const auto sink = exporter.sink();

    for (int i = 0; i < 3; ++i) {
        sink(some_span());
        REQUIRE(exporter.force_flush(long_enough));
    }
    REQUIRE(exporter.stop(long_enough));

    CHECK(exporter.counts().dropped == 2);
    CHECK(exporter.counts().exported == 1);
    REQUIRE(said.size() == 2);
    CHECK(said[0].starts_with("spans are not exported"));
    CHECK(said[1] == "spans are exported again");
    CHECK(said[0].find("hush") == std::string::npos);
}

TEST_CASE("a receiver that hangs keeps neither workers nor a stop waiting", "[otel]")
{
    std::optional<http_receiver> receiver{std::in_place, say_nothing};
    auto options = to(*receiver);
    options.queue_max = 4;
    options.batch_max = 2;
    otel::exporter exporter{options};
    const auto sink = exporter.sink();

    for (int i = 0; i < 100; ++i)
        sink(some_span());
    CHECK(exporter.counts().waiting == 4);
    CHECK(exporter.counts().dropped == 96);

    // It came back while the request was still out: the receiver alone could have ended that.
    CHECK_FALSE(exporter.force_flush(20ms));
    CHECK_FALSE(exporter.stop(20ms));
    CHECK(exporter.counts().waiting == 4);
    sink(some_span());
    CHECK(exporter.counts().dropped == 97);

    receiver.reset();
    CHECK(exporter.stop(long_enough));
    CHECK(exporter.counts().waiting == 0);
    CHECK(exporter.counts().dropped == 101);
    CHECK(exporter.counts().exported == 0);
}

TEST_CASE("a receiver that does not answer in time counts as none", "[otel]")
{
    http_receiver receiver{say_nothing};
    auto options = to(receiver);
    options.timeout = 50ms;
    otel::exporter exporter{options};

    exporter.sink()(some_span());
    REQUIRE(exporter.force_flush(long_enough));

    CHECK(exporter.counts().exported == 0);
    CHECK(exporter.counts().dropped == 1);
}

TEST_CASE("from many threads every span is sent or counted as dropped", "[otel]")
{
    constexpr int threads = 4;
    constexpr int each = 2'000;
    http_receiver receiver{thank};
    auto options = to(receiver);
    options.queue_max = 256;
    options.batch_max = 64;
    otel::exporter exporter{options};

    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i)
        workers.emplace_back([sink = exporter.sink()] {
            for (int span = 0; span < each; ++span)
                sink(some_span());
        });
    for (std::thread& worker : workers)
        worker.join();
    REQUIRE(exporter.stop(long_enough));

    const auto counts = exporter.counts();
    CHECK(counts.exported + counts.dropped == threads * each);
    CHECK(counts.exported >= 256);
    CHECK(spans(receiver).size() == counts.exported);
}

TEST_CASE("a sink outlives its exporter and then does nothing", "[otel]")
{
    http_receiver receiver{thank};
    telemetry::span_sink sink;
    {
        otel::exporter exporter{to(receiver)};
        sink = exporter.sink();
    }

    sink(some_span());

    CHECK(receiver.requests().empty());
}

TEST_CASE("options that cannot work are refused", "[otel]")
{
    const otel::exporter_options wrong[] = {{.endpoint = "127.0.0.1:4318"},
                                            {.timeout = 0ms},
                                            {.queue_max = 0},
                                            {.batch_max = 0},
                                            {.queue_max = 10, .batch_max = 11},
                                            {.schedule_delay = 0ms}};

    for (const auto& options : wrong)
        CHECK_THROWS_AS(otel::exporter{options}, std::invalid_argument);
}

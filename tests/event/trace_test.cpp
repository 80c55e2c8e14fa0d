#include <cuebox/event/trace.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

using namespace cuebox::event;

namespace {

constexpr auto* text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

}

TEST_CASE("a traceparent is read and printed the same", "[event]")
{
    const auto trace = parse_traceparent(text);

    REQUIRE(trace);
    REQUIRE(trace->trace_id[0] == 0x4b);
    REQUIRE(trace->span_id[7] == 0xb7);
    REQUIRE(trace->flags == 1);
    REQUIRE(print_traceparent(*trace) == text);
}

TEST_CASE("what is not quite a traceparent is none", "[event]")
{
    for (const auto* wrong : {"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                              "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                              "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                              "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                              "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                              "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
                              "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                              "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
                              "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x"})
        REQUIRE_FALSE(parse_traceparent(wrong));
}

TEST_CASE("a child stays in its parent's trace with a span of its own", "[event]")
{
    const auto parent = new_trace();
    std::set<std::string> seen{print_traceparent(parent)};

    for (int i = 0; i < 1000; ++i) {
        const auto child = child_of(parent);
        REQUIRE(child.trace_id == parent.trace_id);
        REQUIRE(child.flags == parent.flags);
        REQUIRE(parse_traceparent(print_traceparent(child)) == child);
        seen.insert(print_traceparent(child));
    }
    REQUIRE(seen.size() == 1001);
}

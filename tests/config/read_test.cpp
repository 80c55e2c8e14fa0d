#include "refusal.hpp"

#include <cuebox/config/read.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <limits>

using namespace cuebox::config;
using cuebox::config::test::read_text;
using cuebox::config::test::refusal_of;
using namespace std::chrono_literals;

namespace config_read_test {

enum class restart_policy
{
    always,
    on_failure,
    never
};

struct child
{
    std::string name;
    restart_policy restart = restart_policy::on_failure;
    std::chrono::milliseconds stop_deadline = 5s;
    node params;

    static constexpr std::string_view required[] = {"name"};
};

struct size_limits
{
    int batch_max = 100;
    double jitter = 0.5;
};

struct app
{
    bool verbose = false;
    size_limits limits{.batch_max = 7};
    std::optional<int> port;
    std::vector<child> children;
    std::map<std::string, std::string> labels;
};

struct range
{
    int min = 0;
    int max = 10;

    void validate(const node& from) const
    {
        if (min > max)
            from.refuse("min", "more than max");
    }
};

struct weight
{
    int grams = 0;
};

// As a room says it that knows no config.
std::optional<std::pair<std::string_view, std::string_view>> find_fault(const weight& weight)
{
    if (weight.grams < 0)
        return std::pair("grams", "nothing weighs less than nothing");
    return std::nullopt;
}

struct nothing
{};

template <class T>
struct one
{
    T a{};
};

}

template <>
struct cuebox::config::enum_names<config_read_test::restart_policy>
{
    using restart = config_read_test::restart_policy;
    static constexpr std::pair<std::string_view, restart> values[] = {
        {"always", restart::always},
        {"on_failure", restart::on_failure},
        {"never", restart::never},
    };
};

using namespace config_read_test;

TEST_CASE("an absent key keeps the default of its field", "[config]")
{
    const auto settings = read<app>(node{});

    REQUIRE_FALSE(settings.verbose);
    REQUIRE(settings.limits.batch_max == 7);
    REQUIRE_FALSE(settings.port);
    REQUIRE(settings.children.empty());
}

TEST_CASE("a whole config is read into nested structs", "[config]")
{
    const auto settings = read_text<app>(R"({
        verbose: true, // for now
        port: 8080,
        limits: { jitter: 1 },
        children: [
            { name: "clock", restart: "always", stop_deadline: "1.5s", params: { every: "2m" } },
            { name: "relay" },
        ],
        labels: { team: "billing" },
    })");

    REQUIRE(settings.verbose);
    REQUIRE(settings.port == 8080);
    REQUIRE(settings.limits.jitter == 1.0);
    REQUIRE(settings.children.size() == 2);
    REQUIRE(settings.children[0].name == "clock");
    REQUIRE(settings.children[0].restart == restart_policy::always);
    REQUIRE(settings.children[0].stop_deadline == 1500ms);
    REQUIRE(settings.children[1].restart == restart_policy::on_failure);
    REQUIRE(settings.labels.at("team") == "billing");
}

TEST_CASE("a partly given struct keeps the defaults its owner chose for it", "[config]")
{
    const auto settings = read_text<app>("{ limits: { jitter: 0.1 } }");

    REQUIRE(settings.limits.batch_max == 7);
}

TEST_CASE("raw parameters keep their path for whoever reads them later", "[config]")
{
    const auto settings = read_text<app>("{ children: [{ name: 'a', params: { every: 1 } }] }");

    const auto& params = settings.children[0].params;

    REQUIRE(params.path() == "/children/0/params");
    REQUIRE(test::refusal([&] { read<one<int>>(params); }) ==
            "app.jaxn: /children/0/params: unknown key \"every\"; valid keys: a");
}

TEST_CASE("a field of another type is refused with its path", "[config]")
{
    REQUIRE(refusal_of<app>("{ verbose: 1 }") ==
            "app.jaxn: /verbose: expected boolean, got integer");
    REQUIRE(refusal_of<app>("{ port: '80' }") == "app.jaxn: /port: expected integer, got string");
    REQUIRE(refusal_of<app>("{ port: 1.5 }") == "app.jaxn: /port: expected integer, got number");
    REQUIRE(refusal_of<app>("{ limits: [] }") == "app.jaxn: /limits: expected object, got array");
    REQUIRE(refusal_of<app>("{ limits: { jitter: true } }") ==
            "app.jaxn: /limits/jitter: expected number, got boolean");
    REQUIRE(refusal_of<app>("{ children: {} }") ==
            "app.jaxn: /children: expected array, got object");
    REQUIRE(refusal_of<app>("{ labels: { team: null } }") ==
            "app.jaxn: /labels/team: expected string, got null");
    REQUIRE(refusal_of<app>("{ labels: 'x' }") == "app.jaxn: /labels: expected object, got string");
    REQUIRE(refusal_of<app>("[]") == "app.jaxn: /: expected object, got array");
}

TEST_CASE("an error inside a list names the index", "[config]")
{
    REQUIRE(refusal_of<app>("{ children: [{ name: 'a' }, { name: 'b' }, { name: 3 }] }") ==
            "app.jaxn: /children/2/name: expected string, got integer");
}

TEST_CASE("an unknown key is refused with the nearest valid one", "[config]")
{
    REQUIRE(refusal_of<app>("{ children: [{ name: 'a', restrat: 'never' }] }") ==
            "app.jaxn: /children/0: unknown key \"restrat\", did you mean \"restart\"? "
            "valid keys: name, restart, stop_deadline, params");
}

TEST_CASE("an unknown key that resembles none is refused without a guess", "[config]")
{
    REQUIRE(refusal_of<app>("{ limits: { colour: 1 } }") ==
            "app.jaxn: /limits: unknown key \"colour\"; valid keys: batch_max, jitter");
    REQUIRE(refusal_of<nothing>("{ a: 1 }") ==
            "app.jaxn: /: unknown key \"a\"; no key is valid here");
}

TEST_CASE("a required key that is missing is named by its path", "[config]")
{
    REQUIRE(refusal_of<app>("{ children: [{ name: 'a' }, {}] }") ==
            "app.jaxn: /children/1/name: required, but missing");
}

TEST_CASE("null is an absent optional and nothing else", "[config]")
{
    REQUIRE_FALSE(read_text<app>("{ port: null }").port);
    REQUIRE(refusal_of<app>("{ verbose: null }") ==
            "app.jaxn: /verbose: expected boolean, got null");
}

TEST_CASE("an integer is read up to its limits", "[config]")
{
    REQUIRE(read_text<one<std::int8_t>>("{ a: -128 }").a == -128);
    REQUIRE(read_text<one<std::uint32_t>>("{ a: 4294967295 }").a == 4294967295u);
    REQUIRE(read_text<one<std::int64_t>>("{ a: -9223372036854775808 }").a ==
            std::numeric_limits<std::int64_t>::min());
    REQUIRE(read_text<one<std::uint64_t>>("{ a: 18446744073709551615 }").a ==
            std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("an integer beyond its limits is refused, never narrowed", "[config]")
{
    REQUIRE(refusal_of<one<std::int8_t>>("{ a: 128 }") ==
            "app.jaxn: /a: 128 is out of range: expected -128 to 127");
    REQUIRE(refusal_of<one<std::int8_t>>("{ a: -129 }") ==
            "app.jaxn: /a: -129 is out of range: expected -128 to 127");
    REQUIRE(refusal_of<one<std::uint32_t>>("{ a: 4294967296 }") ==
            "app.jaxn: /a: 4294967296 is out of range: expected 0 to 4294967295");
    REQUIRE(refusal_of<one<std::uint32_t>>("{ a: -1 }") ==
            "app.jaxn: /a: -1 is out of range: expected 0 to 4294967295");
    REQUIRE(refusal_of<one<std::int64_t>>("{ a: 9223372036854775808 }") ==
            "app.jaxn: /a: 9223372036854775808 is out of range: "
            "expected -9223372036854775808 to 9223372036854775807");
    REQUIRE(refusal_of<one<std::uint64_t>>("{ a: 18446744073709551616 }") ==
            "app.jaxn: /a: 18446744073709552000.0 is out of range: "
            "expected 0 to 18446744073709551615");
}

TEST_CASE("a whole number may be written with an exponent", "[config]")
{
    REQUIRE(read_text<one<int>>("{ a: 1e6 }").a == 1'000'000);
    REQUIRE(read_text<one<unsigned>>("{ a: 5.0 }").a == 5);
    REQUIRE(refusal_of<one<std::int8_t>>("{ a: 1e3 }") ==
            "app.jaxn: /a: 1000.0 is out of range: expected -128 to 127");
}

TEST_CASE("a number beyond float is refused", "[config]")
{
    REQUIRE(read_text<one<float>>("{ a: 0.5 }").a == 0.5f);
    REQUIRE(refusal_of<one<float>>("{ a: 1e39 }") == "app.jaxn: /a: 1e39 is out of range");
}

TEST_CASE("a duration without a unit is refused with how to write it", "[config]")
{
    REQUIRE(refusal_of<child>("{ name: 'a', stop_deadline: 5 }") ==
            "app.jaxn: /stop_deadline: 5 has no unit: write it like \"250ms\", \"5s\", \"2m\" or "
            "\"45d\"");
    REQUIRE(refusal_of<child>("{ name: 'a', stop_deadline: '5 parsecs' }") ==
            "app.jaxn: /stop_deadline: \"5 parsecs\" is not a duration: "
            "write it like \"250ms\", \"5s\", \"2m\" or \"45d\"");
    REQUIRE(refusal_of<child>("{ name: 'a', stop_deadline: true }") ==
            "app.jaxn: /stop_deadline: expected a duration, got boolean");
}

TEST_CASE("a duration finer than its field is refused rather than rounded", "[config]")
{
    REQUIRE(read_text<one<std::chrono::seconds>>("{ a: '2m' }").a == 120s);
    REQUIRE(refusal_of<one<std::chrono::seconds>>("{ a: '1.5s' }") ==
            "app.jaxn: /a: \"1.5s\" is not a whole number of steps of 1s");
    REQUIRE(read_text<one<std::chrono::duration<double>>>("{ a: '1.5s' }").a.count() == 1.5);
}

TEST_CASE("an unknown enum value is refused with the valid ones and the nearest", "[config]")
{
    REQUIRE(refusal_of<child>("{ name: 'a', restart: 'on-failure' }") ==
            "app.jaxn: /restart: unknown value \"on-failure\", did you mean \"on_failure\"? "
            "valid values: always, on_failure, never");
    REQUIRE(refusal_of<child>("{ name: 'a', restart: 'x' }") ==
            "app.jaxn: /restart: unknown value \"x\"; valid values: always, on_failure, never");
    REQUIRE(refusal_of<child>("{ name: 'a', restart: 1.5 }") ==
            "app.jaxn: /restart: expected string, got number");
}

TEST_CASE("a struct may refuse a combination, as a member or beside it", "[config]")
{
    REQUIRE(refusal_of<one<range>>("{ a: { min: 11 } }") == "app.jaxn: /a/min: more than max");
    REQUIRE(refusal_of<one<weight>>("{ a: { grams: -1 } }") ==
            "app.jaxn: /a/grams: nothing weighs less than nothing");
    REQUIRE(refusal_of<one<range>>("{ a: { min: 10 } }") == "not refused");
}

TEST_CASE("containers nest and a given one replaces the default", "[config]")
{
    using matrix = std::map<std::string, std::vector<std::optional<bool>>>;
    matrix rows{{"old", {true}}};

    read_into(parse("{ a: [true, null] }", "app.jaxn"), rows);

    REQUIRE(rows == matrix{{"a", {true, std::nullopt}}});
}

TEST_CASE("an error carries the path of the refused value", "[config]")
{
    try {
        read_text<app>("{ children: [{ name: 1 }] }");
        FAIL("not refused");
    }
    catch (const error& refused) {
        REQUIRE(refused.path() == "/children/0/name");
    }
}

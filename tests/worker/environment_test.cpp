#include "config/refusal.hpp"

#include <cuebox/worker/environment.hpp>

#include <catch2/catch_test_macros.hpp>

#include <map>

using namespace cuebox;
using cuebox::config::test::refusal;

namespace {

std::string fill(std::string_view text, std::map<std::string, std::string> variables)
{
    return worker::fill_in_environment(
        text, "worker.jaxn", [&variables](const char* name) -> const char* {
            const auto found = variables.find(name);
            return found == variables.end() ? nullptr : found->second.c_str();
        });
}

// As a reader of the config gets it.
std::string value(std::string_view text, std::map<std::string, std::string> variables)
{
    const std::string filled = fill(text, std::move(variables));
    return config::parse(filled, "worker.jaxn").find("x")->as_string();
}

}

TEST_CASE("${NAME} within a string is that environment variable", "[worker]")
{
    CHECK(fill(R"({"x": "a${A}b${B}"})", {{"A", "1"}, {"B", "2"}}) == R"({"x": "a1b2"})");
    CHECK(fill(R"({x: '${A}'})", {{"A", ""}}) == R"({x: ''})");
    CHECK(fill(R"({"${A}": 1})", {{"A", "key"}}) == R"({"key": 1})");
}

TEST_CASE("what is not in a string is left alone: keys, comments, what stands for itself",
          "[worker]")
{
    const std::string comments = "{ // ${NONE} \"${NONE}\n # '${NONE}\n /* \"${NONE} */ }";
    CHECK(fill(comments, {}) == comments);
    CHECK(fill("{} /* ${NONE", {}) == "{} /* ${NONE");
    CHECK(fill(R"({"x": "$${A} $A $ {A} //"})", {}) == R"({"x": "${A} $A $ {A} //"})");
    CHECK(fill(R"({"x": "\"${A}"})", {{"A", "1"}}) == R"({"x": "\"1"})");
    CHECK(fill("", {}).empty());
    CHECK(fill(R"({"x": "open)", {}) == R"({"x": "open)");
}

TEST_CASE("a variable's value is taken as it is, whatever it contains", "[worker]")
{
    const std::string odd = "\"'\\\n\t\x01 // # ${B} \xc3\xa9";

    CHECK(value(R"({"x": "${A}"})", {{"A", odd}}) == odd);
    CHECK(value(R"({"x": '${A}'})", {{"A", odd}}) == odd);
}

TEST_CASE("within three quotes, where nothing is escaped, a value is taken as it is too",
          "[worker]")
{
    CHECK(value(R"({"x": """-${A}-"""})", {{"A", "it's a \\ and\na line"}}) ==
          "-it's a \\ and\na line-");
    CHECK(value(R"({"x": '''${A}'''})", {{"A", R"(say "hi")"}}) == R"(say "hi")");
    CHECK(refusal([] {
              fill(R"({"x": """${A}"""})", {{"A", "say \"hi\""}});
          }).starts_with("worker.jaxn:1:10: the environment variable A has a quote"));
}

TEST_CASE("a variable that is not set is refused with its place", "[worker]")
{
    CHECK(refusal([] { fill("{\n  \"x\": \"${TOKEN}\"}", {}); }) ==
          "worker.jaxn:2:9: the environment variable TOKEN is not set");
    CHECK(refusal([] { fill("\"${TOKEN", {}); }) ==
          "worker.jaxn:1:2: ${ without a }: write $${ for the two characters themselves");
}

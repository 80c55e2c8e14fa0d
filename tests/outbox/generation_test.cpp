#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/generation.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <map>
#include <string>

using namespace cuebox::outbox;

namespace {

std::int64_t find(std::optional<std::int64_t> configured,
                  std::map<std::string, std::string> variables)
{
    return find_generation(configured, [&variables](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

}

TEST_CASE("the configured generation comes before the environment's", "[outbox]")
{
    CHECK(find(7, {{"CUEBOX_GENERATION", "8"}, {"SPECTRAL_GENERATION", "9"}}) == 7);
    CHECK(find({}, {{"CUEBOX_GENERATION", "8"}, {"SPECTRAL_GENERATION", "9"}}) == 8);
    CHECK(find({}, {{"SPECTRAL_GENERATION", "9"}}) == 9);
}

TEST_CASE("no generation at all is an error that says what to set", "[outbox]")
{
    CHECK_THROWS_MATCHES(
        find({}, {}), publish_error,
        Catch::Matchers::Message("no generation: configure one or set CUEBOX_GENERATION to the "
                                 "number of this deployment"));
}

TEST_CASE("a generation that is no positive whole number is refused by name", "[outbox]")
{
    for (const char* wrong : {"", "seven", "7x", "7.5", "99999999999999999999"})
        CHECK_THROWS_MATCHES(find({}, {{"CUEBOX_GENERATION", wrong}}), publish_error,
                             Catch::Matchers::Message("CUEBOX_GENERATION: \"" + std::string(wrong) +
                                                      "\" is not a generation: set it to a whole "
                                                      "number"));
    CHECK_THROWS_AS(find(0, {}), publish_error);
    CHECK_THROWS_AS(find(-1, {}), publish_error);
}

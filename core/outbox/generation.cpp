#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/generation.hpp>

#include <charconv>
#include <cstdlib>
#include <string>

namespace cuebox::outbox {

namespace {

std::int64_t read(std::string_view variable, std::string_view text)
{
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc{} || at != end)
        throw publish_error(std::string(variable) + ": \"" + std::string(text) +
                            "\" is not a generation: set it to a whole number");
    return number;
}

}

std::int64_t find_generation(std::optional<std::int64_t> configured,
                             const std::function<const char*(const char*)>& environment)
{
    std::optional<std::int64_t> found = configured;
    for (const char* variable : {"CUEBOX_GENERATION", "SPECTRAL_GENERATION"})
        if (const char* text = found ? nullptr : environment(variable))
            found = read(variable, text);
    if (!found)
        throw publish_error(
            "no generation: configure one or set CUEBOX_GENERATION to the number of "
            "this deployment");
    if (*found < 1)
        throw publish_error("generation " + std::to_string(*found) +
                            ": generations count up from 1");
    return *found;
}

std::int64_t find_generation(std::optional<std::int64_t> configured)
{
    return find_generation(configured, [](const char* name) { return std::getenv(name); });
}

}

#pragma once

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <string>

namespace cuebox::cli {

// For options that count: generations, batches. CLI11's own check is made for fractions, and says
// which of them it takes in more than 300 digits.
inline CLI::Validator counts_from_one()
{
    return {[](const std::string& text) -> std::string {
                std::int64_t number = 0;
                const char* const end = text.data() + text.size();
                const auto [at, problem] = std::from_chars(text.data(), end, number);
                if (problem == std::errc{} && at == end && number > 0)
                    return {};
                return "\"" + text + "\" is not a whole number from 1 on";
            },
            "NUMBER", "counts from one"};
}

}

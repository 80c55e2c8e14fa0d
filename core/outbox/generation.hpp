#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace cuebox::outbox {

// The deployment this process belongs to: the configured number, else CUEBOX_GENERATION, else
// SPECTRAL_GENERATION. None of them, or a number that is none, is an error that says what to set.
std::int64_t find_generation(std::optional<std::int64_t> configured);

// The same with another environment: a variable's value, or null.
std::int64_t find_generation(std::optional<std::int64_t> configured,
                             const std::function<const char*(const char*)>& environment);

}

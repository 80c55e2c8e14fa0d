#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cuebox::worker {

// Replaces ${NAME} within quoted strings by that environment variable, so that secrets stay out of
// files. Throws config::error with the line when a variable is not set. $${ stands for ${.
std::string fill_in_environment(std::string_view text, std::string_view source);
std::string fill_in_environment(std::string_view text, std::string_view source,
                                const std::function<const char*(const char*)>& environment);

}

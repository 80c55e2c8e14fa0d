#include <cuebox/http/header.hpp>

#include <algorithm>

namespace cuebox::http {

namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}

bool is_header_name(std::string_view name)
{
    static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
               marks.find(c) != std::string_view::npos;
    });
}

bool is_header_value(std::string_view value)
{
    return std::ranges::none_of(value, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7f;
    });
}

std::string_view find_header(const headers& among, std::string_view name)
{
    for (const auto& [key, value] : among)
        if (std::ranges::equal(key, name, {}, lower, lower))
            return value;
    return {};
}

}

#include <cuebox/config/nearest.hpp>
#include <cuebox/config/read.hpp>

#include <algorithm>

namespace cuebox::config::detail {

namespace {

std::string in_quotes(std::string_view name)
{
    return std::string{'"'}.append(name) + '"';
}

std::string listed(std::span<const std::string_view> names)
{
    std::string list;
    for (const auto name : names)
        list.append(list.empty() ? "" : ", ").append(name);
    return list;
}

std::string hint(std::string_view typo, std::span<const std::string_view> names)
{
    const auto nearest = nearest_name(typo, names);
    return nearest ? ", did you mean " + in_quotes(*nearest) + "?" : ";";
}

}

void check_keys(const node& from, std::span<const std::string_view> names,
                std::span<const std::string_view> required)
{
    for (const auto& key : from.keys())
        if (std::ranges::find(names, key) == names.end())
            from.refuse(
                "unknown key " + in_quotes(key) + hint(key, names) +
                (names.empty() ? " no key is valid here" : " valid keys: " + listed(names)));
    for (const auto key : required)
        if (!from.find(key))
            from.refuse(key, "required, but missing");
}

std::size_t pick(const node& from, std::span<const std::string_view> names)
{
    const auto text = from.as_string();
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
        from.refuse("unknown value " + in_quotes(text) + hint(text, names) +
                    " valid values: " + listed(names));
    return static_cast<std::size_t>(found - names.begin());
}

}

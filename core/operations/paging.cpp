#include <cuebox/operations/error.hpp>
#include <cuebox/operations/paging.hpp>

#include <algorithm>

namespace cuebox::operations::detail {

std::string print_place(event::timestamp at, event::uuid id)
{
    return event::print_timestamp(at).value_or("") + "/" + event::print_uuid(id);
}

place parse_place(std::string_view text, std::string_view what)
{
    if (text.empty())
        return {};
    const auto slash = text.find('/');
    place found{.at = event::parse_timestamp(text.substr(0, slash)),
                .id =
                    slash == text.npos ? std::nullopt : event::parse_uuid(text.substr(slash + 1))};
    if (!found.at || !found.id)
        throw error{"\"" + std::string(text) + "\" is no place in a list of " + std::string(what),
                    "give what the page before named as the next"};
    return found;
}

event::timestamp before(event::timestamp now, std::chrono::microseconds age)
{
    constexpr std::chrono::microseconds age_max = std::chrono::days(365'250);
    return now - std::clamp(age, -age_max, age_max);
}

}

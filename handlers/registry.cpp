#include <cuebox/handlers/registry.hpp>

#include <algorithm>

namespace cuebox {

registry& registry::add(handling::handler handler)
{
    handlers_.push_back(std::move(handler));
    return *this;
}

registry& registry::use(middleware around)
{
    around_.push_back(std::move(around));
    return *this;
}

std::vector<handling::handler> registry::take() const
{
    std::vector<handling::handler> all;
    for (const auto& each : handlers_)
        all.push_back(wrap_handler(each, around_));
    return all;
}

std::optional<handling::handler> registry::find(std::string_view name) const
{
    const auto found = std::ranges::find(handlers_, name, &handling::handler::name);
    if (found == handlers_.end())
        return std::nullopt;
    return wrap_handler(*found, around_);
}

std::vector<std::string> registry::names() const
{
    std::vector<std::string> all;
    for (const auto& each : handlers_)
        all.push_back(each.name);
    return all;
}

}

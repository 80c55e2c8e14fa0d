#include <cuebox/compose/kinds.hpp>

#include <stdexcept>

namespace cuebox {

void kinds::add_maker(std::string name, maker maker)
{
    if (name.empty())
        throw std::invalid_argument("an actor kind needs a name");
    const auto [at, added] = makers_.emplace(std::move(name), std::move(maker));
    if (!added)
        throw std::invalid_argument("there already is an actor kind '" + at->first +
                                    "': register each name once");
}

const kinds::maker* kinds::find(std::string_view name) const
{
    const auto found = makers_.find(name);
    return found == makers_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> kinds::names() const
{
    std::vector<std::string_view> all;
    for (const auto& [name, maker] : makers_)
        all.push_back(name);
    return all;
}

}

#include <cuebox/pg/prepared.hpp>

#include <algorithm>

namespace cuebox::pg::detail {

namespace {

// The same SQL with parameters of other types is another statement to the server.
std::string key_of(std::string_view sql, const std::vector<oid>& types)
{
    std::string key(sql);
    key.append(reinterpret_cast<const char*>(types.data()), types.size() * sizeof(oid));
    return key;
}

}

prepared::choice prepared::choose(std::string_view sql, const std::vector<oid>& types)
{
    if (max_ == 0)
        return {};
    std::string key = key_of(sql, types);
    if (const auto found = known_.find(key); found != known_.end())
        return {.how = use::by_name, .name = found->second};
    if (const auto found = pending_.find(key); found != pending_.end())
        return found->second.segment == segment_
                   ? choice{.how = use::by_name, .name = found->second.name}
                   : choice{};
    if (known_.size() + pending_.size() >= max_)
        return {};
    std::string name = "cuebox_" + std::to_string(++names_);
    pending_.emplace(std::move(key), pending{.name = name, .segment = segment_});
    return {.how = use::prepare_first, .name = std::move(name)};
}

void prepared::confirm(const std::string& name)
{
    const auto found = std::ranges::find(
        pending_, name, [](const auto& each) -> const auto& { return each.second.name; });
    if (found == pending_.end())
        return;
    known_.emplace(found->first, name);
    pending_.erase(found);
}

void prepared::forget(const std::string& name)
{
    std::erase_if(known_, [&name](const auto& each) { return each.second == name; });
}

}

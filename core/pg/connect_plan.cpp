#include <cuebox/pg/connect_plan.hpp>

#include <algorithm>

namespace cuebox::pg::detail {

connect_plan::connect_plan(std::vector<std::string> names, std::string_view session,
                           time_point deadline, duration each)
    : deadline_(deadline),
      each_(each)
{
    const bool prefers = session == "prefer-standby";
    for (const std::string_view round : prefers ? std::vector<std::string_view>{"standby", "any"}
                                                : std::vector<std::string_view>{session})
        for (std::size_t i = 0; i < names.size(); ++i)
            addresses_.push_back({.name = names[i], .target = i, .session = std::string(round)});
}

std::optional<connect_plan::attempt> connect_plan::next(time_point now)
{
    if (tried_ == addresses_.size() || now >= deadline_)
        return std::nullopt;
    const auto left = static_cast<duration::rep>(addresses_.size() - tried_);
    const duration share = std::min(each_, (deadline_ - now) / left);
    return attempt{.to = &addresses_[tried_++], .until = now + share};
}

void connect_plan::failed(std::string_view why)
{
    const std::string sentence = addresses_[tried_ - 1].name + ": " + std::string(why);
    // The rounds of prefer-standby and the addresses of one host often fail alike.
    if (std::ranges::find(failures_, sentence) == failures_.end())
        failures_.push_back(sentence);
}

std::string connect_plan::account() const
{
    if (failures_.empty())
        return "the time was up before any host was tried";
    std::string text;
    for (const std::string& each : failures_)
        text += (text.empty() ? "" : "; ") + each;
    return text;
}

}

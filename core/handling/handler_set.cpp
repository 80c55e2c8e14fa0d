#include <cuebox/handling/handler_set.hpp>

#include <algorithm>
#include <set>

namespace cuebox::handling {

namespace {

bool is_qualified(std::string_view name)
{
    const auto dot = name.find('.');
    return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size();
}

void check(const handler& each)
{
    if (!is_qualified(each.name))
        throw handler_error("handler \"" + each.name +
                            "\": the name has no scope; call it \"<context>." +
                            (each.name.empty() ? "…" : each.name) + "\"");
    if (each.event_types.empty())
        throw handler_error("handler \"" + each.name + "\": it listens for no event type");
    const bool callable =
        std::visit([](const auto& call) { return static_cast<bool>(call); }, each.call);
    if (!callable)
        throw handler_error("handler \"" + each.name + "\": there is nothing to call");
    if (each.transactional() && each.timeout > duration{})
        throw handler_error("handler \"" + each.name +
                            "\": a transactional handler has no timeout, because ending it would "
                            "end its whole batch; set statement_timeout in it, or lease it");
    if (each.transactional() && each.own_gate)
        throw handler_error("handler \"" + each.name +
                            "\": a transactional handler has no gate of its own, its dedup record "
                            "commits with what it writes");
    if (each.timeout < duration{})
        throw handler_error("handler \"" + each.name +
                            "\": the timeout is negative; zero is as long as it likes");
    if (const auto fault = find_fault(each.retry))
        throw handler_error("handler \"" + each.name + "\": retry." + std::string(fault->first) +
                            ": " + std::string(fault->second));
}

// Two of them would each take an event from the other.
void check_gates(const std::string& type, std::span<const handler_ptr> those)
{
    const handler* first = nullptr;
    for (const handler_ptr& each : those) {
        if (!each->own_gate)
            continue;
        if (first)
            throw handler_error("handlers \"" + first->name + "\" and \"" + each->name +
                                "\" would each run the same " + type +
                                ": make one of them, with what both can do");
        first = each.get();
    }
}

}

handler_set::handler_set(std::vector<handler> handlers)
{
    std::ranges::sort(handlers, {}, &handler::name);
    for (handler& each : handlers) {
        check(each);
        if (!all_.empty() && all_.back()->name == each.name)
            throw handler_error("handler \"" + each.name +
                                "\": there are two of that name; dedup needs one each");
        all_.push_back(std::make_shared<const handler>(std::move(each)));
    }
    for (const handler_ptr& each : all_)
        for (const std::string& type : std::set(each->event_types.begin(), each->event_types.end()))
            by_type_[type].push_back(each);
    for (const auto& [type, those] : by_type_) {
        const bool all_transactional = std::ranges::all_of(
            those, [](const handler_ptr& each) { return each->transactional(); });
        check_gates(type, those);
        (all_transactional ? transactional_ : leased_).push_back(type);
    }
}

std::span<const handler_ptr> handler_set::for_type(std::string_view event_type) const
{
    const auto found = by_type_.find(event_type);
    if (found == by_type_.end())
        return {};
    return found->second;
}

std::vector<std::string> handler_set::all_types() const
{
    std::vector<std::string> all = transactional_;
    all.insert(all.end(), leased_.begin(), leased_.end());
    return all;
}

int handler_set::max_retries() const noexcept
{
    int most = 0;
    for (const handler_ptr& each : all_)
        most = std::max(most, each->retry.max_retries);
    return most;
}

}

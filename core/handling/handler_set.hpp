#pragma once

#include <cuebox/handling/handler.hpp>

#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace cuebox::handling {

// Handlers that do not go together, or one that is not complete.
class handler_error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

using handler_ptr = std::shared_ptr<const handler>;

// The handlers of one context, by event type. Immutable; to be shared freely.
class handler_set
{
public:
    // Throws handler_error, naming the handler, for a name that is unqualified or used twice, and
    // for one that listens for nothing, and for two with gates of their own for the same type.
    explicit handler_set(std::vector<handler> handlers);

    // Those for a type, in the order of their names: whoever inserts dedup records for an event
    // does so in that order. Empty when nobody listens.
    std::span<const handler_ptr> for_type(std::string_view event_type) const;

    // Types all of whose handlers are transactional, and the others. An event with both kinds of
    // handlers is leased; its transactional ones then run in transactions of their own.
    const std::vector<std::string>& transactional_types() const noexcept { return transactional_; }
    const std::vector<std::string>& leased_types() const noexcept { return leased_; }
    std::vector<std::string> all_types() const;

    const std::vector<handler_ptr>& all() const noexcept { return all_; }
    // The most that any of them is tried again.
    int max_retries() const noexcept;

private:
    std::vector<handler_ptr> all_;
    std::map<std::string, std::vector<handler_ptr>, std::less<>> by_type_;
    std::vector<std::string> transactional_;
    std::vector<std::string> leased_;
};

}

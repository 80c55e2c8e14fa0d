#pragma once

#include <cuebox/pg/types.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cuebox::pg::detail {

// Decides how each statement of a pipeline is sent: by the name the server knows it by, preparing
// it first, or as it is. Pure bookkeeping.
//
// A statement is prepared and run in one go the first time. Should an earlier one of its segment
// fail, the server skips the preparing, which a later segment cannot know before the answers are
// in: there it is sent as it is.
class prepared
{
public:
    enum class use
    {
        as_it_is,
        prepare_first,
        by_name
    };
    struct choice
    {
        use how = use::as_it_is;
        std::string name{};
    };

    // At most so many are prepared; the rest, and all of them if it is 0, are sent as they are.
    explicit prepared(std::size_t max) : max_(max) {}

    choice choose(std::string_view sql, const std::vector<oid>& types);
    void end_segment() { ++segment_; }
    void end_run() { pending_.clear(); }

    void confirm(const std::string& name);
    // The server no longer has it, or has it for a table that changed since.
    void forget(const std::string& name);

    std::size_t size() const noexcept { return known_.size(); }

private:
    struct pending
    {
        std::string name;
        std::size_t segment;
    };

    std::size_t max_;
    std::size_t names_ = 0;
    std::size_t segment_ = 0;
    std::unordered_map<std::string, std::string> known_;
    std::unordered_map<std::string, pending> pending_;
};

}

#pragma once

#include <cuebox/pg/error.hpp>
#include <cuebox/pg/result.hpp>

#include <optional>

namespace cuebox::pg {

// What became of one statement of a pipeline: a result, an error, or neither, when an earlier one
// of its segment failed and the server skipped it.
class outcome
{
public:
    bool ok() const noexcept { return result_.has_value(); }
    bool skipped() const noexcept { return !result_ && !error_; }
    const std::optional<pg::error>& failure() const noexcept { return error_; }

    // The result; throws the error, or one that says the statement was skipped.
    const result& get() const&;
    result take();

    void succeed(result value) { result_ = std::move(value); }
    void fail(pg::error why) { error_ = std::move(why); }

private:
    [[noreturn]] void raise() const;

    std::optional<result> result_;
    std::optional<pg::error> error_;
};

}

#pragma once

#include <cuebox/pg/params.hpp>
#include <cuebox/pg/statement.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace cuebox::pg {

namespace detail {

struct command
{
    pg::statement statement{};
    pg::params params{};
    bool sync = false;     // Ends a segment.
    bool describe = false; // Is looked at by the server, and not run.
};

}

// Statements to send together and be answered together: one round trip, whatever their number.
//
//     pg::pipeline batch;
//     batch.add(insert_order, 7, "ada");
//     batch.add(insert_line, 7, "tea");
//     const auto outcomes = co_await transaction.run(std::move(batch));
//
// When one fails the rest of its segment is skipped. Outside a transaction each segment is one.
class pipeline
{
public:
    // Its place among the outcomes.
    template <class... Values>
    std::size_t add(const statement& what, const Values&... values)
    {
        return add(what, params(std::in_place, values...));
    }
    std::size_t add(const statement& what, params values);

    // Ends the segment: what fails before it does not touch what comes after.
    void end_segment();

    std::size_t size() const noexcept { return commands_.size(); }
    bool empty() const noexcept { return commands_.empty(); }

    std::vector<detail::command> take() && { return std::move(commands_); }

private:
    std::vector<detail::command> commands_;
};

}

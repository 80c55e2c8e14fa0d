#include <cuebox/pg/pipeline_book.hpp>

namespace cuebox::pg::detail {

void pipeline_book::sent(kind what, std::size_t command)
{
    sent_.push_back({.what = what, .command = command});
}

std::optional<pipeline_book::entry> pipeline_book::on(answer got)
{
    const bool due = answered_ && got == answer::separator;
    const bool fresh = !answered_ && !sent_.empty() && got != answer::separator &&
                       (got == answer::sync) == (sent_.front().what == kind::sync);
    if (due) {
        sent_.pop_front();
        answered_ = false;
        return std::nullopt;
    }
    if (!fresh) {
        confused_ = true;
        return std::nullopt;
    }
    const entry current = sent_.front();
    if (current.what == kind::sync)
        sent_.pop_front(); // No separator follows it.
    else
        answered_ = true;
    return current;
}

}

#include <cuebox/pg/outcome.hpp>

namespace cuebox::pg {

const result& outcome::get() const&
{
    if (!result_)
        raise();
    return *result_;
}

result outcome::take()
{
    if (!result_)
        raise();
    return std::move(*result_);
}

void outcome::raise() const
{
    if (error_)
        throw *error_;
    throw error(errc::server, "", "skipped because an earlier statement of its segment failed");
}

}

#include <cuebox/pg/pipeline.hpp>

namespace cuebox::pg {

std::size_t pipeline::add(const statement& what, params values)
{
    commands_.push_back({.statement = what, .params = std::move(values)});
    return commands_.size() - 1;
}

void pipeline::end_segment()
{
    if (!commands_.empty())
        commands_.back().sync = true;
}

}

#include <cuebox/compose/spec.hpp>
#include <cuebox/config/parse.hpp>

namespace cuebox {

child_spec parse_tree(std::string_view text, std::string_view source)
{
    return config::read<child_spec>(config::parse(text, source));
}

}

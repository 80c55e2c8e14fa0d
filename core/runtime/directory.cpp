#include <cuebox/runtime/directory.hpp>

#include <stdexcept>

namespace cuebox {

namespace {

// Cuts the first name off a path.
std::string_view next_name(std::string_view& path) noexcept
{
    const auto slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
    return name;
}

}

detail::cell& directory::find_cell(std::string_view path, const std::type_info& set) const
{
    const auto refuse = [path](const std::string& why) {
        throw std::invalid_argument("no actor '" + std::string(path) + "': " + why);
    };
    std::string_view rest = path;
    if (next_name(rest) != root_->name())
        refuse("the tree is named '" + root_->path() + "'");
    detail::cell* found = nullptr;
    const detail::supervisor_cell* above = root_;
    while (!rest.empty()) {
        const std::string_view name = next_name(rest);
        found = above ? above->find(name) : nullptr;
        if (!found)
            refuse("there is no '" + std::string(name) + "'");
        above = dynamic_cast<detail::supervisor_cell*>(found);
    }
    if (!found || above)
        refuse("it is a supervisor and takes no messages");
    if (found->message_set() != set)
        refuse("it takes other messages than the ones asked for");
    return *found;
}

}

#pragma once

#include <cuebox/runtime/supervisor.hpp>

#include <string_view>

namespace cuebox {

// Finds actors of one tree by their path, such as "app/pool/worker-1". For an actor that was
// composed from a description and knows its neighbours by name; it is valid as long as the tree.
class directory
{
public:
    explicit directory(const detail::supervisor_cell& root) noexcept : root_(&root) {}

    // Throws std::invalid_argument when there is no such actor, or when it takes other messages.
    template <class Set>
    address<Set> find(std::string_view path) const
    {
        detail::cell& found = find_cell(path, typeid(Set));
        return detail::access::make<Set>(
            boost::intrusive_ptr<detail::mailbox<Set>>(static_cast<detail::mailbox<Set>*>(&found)));
    }

private:
    detail::cell& find_cell(std::string_view path, const std::type_info& set) const;

    const detail::supervisor_cell* root_;
};

}

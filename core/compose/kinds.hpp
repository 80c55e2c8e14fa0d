#pragma once

#include <cuebox/config/read.hpp>
#include <cuebox/runtime/directory.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cuebox {

// The kinds of actors that a description may name. An actor states what it takes as a plain struct:
//
//     struct ticker {
//         struct params { cuebox::duration every = 1s; };
//         explicit ticker(params given);                              // or
//         ticker(params given, cuebox::directory names);              // to find its neighbours by
//         path …
//     };
//     kinds.add<ticker>("ticker");
class kinds
{
public:
    // What makes a cell of one kind: checks the parameters at once, builds the actor when it
    // starts.
    using maker = std::function<detail::cell_ptr(const std::string& name, detail::cell& parent,
                                                 loop& home, const child_options& options,
                                                 const config::node& params, directory names)>;

    // Throws std::invalid_argument when there already is one of that name.
    template <class Actor>
    void add(std::string name)
    {
        add_maker(std::move(name),
                  [](const std::string& actor_name, detail::cell& parent, loop& home,
                     const child_options& options, const config::node& params,
                     directory names) -> detail::cell_ptr {
                      return make<Actor>(actor_name, parent, home, options, params, names);
                  });
    }

    const maker* find(std::string_view name) const;
    std::vector<std::string_view> names() const;

private:
    struct nothing
    {};

    template <class Actor>
    static detail::cell_ptr make(const std::string& name, detail::cell& parent, loop& home,
                                 const child_options& options, const config::node& params,
                                 directory names)
    {
        if constexpr (requires { typename Actor::params; }) {
            using given = typename Actor::params;
            auto read = config::read<given>(params);
            if constexpr (std::is_constructible_v<Actor, given, directory>)
                return detail::make_actor<Actor>(name, &parent, home, options, std::move(read),
                                                 names);
            else
                return detail::make_actor<Actor>(name, &parent, home, options, std::move(read));
        }
        else {
            config::read<nothing>(params); // refuses what this kind does not take
            if constexpr (std::is_constructible_v<Actor, directory>)
                return detail::make_actor<Actor>(name, &parent, home, options, names);
            else
                return detail::make_actor<Actor>(name, &parent, home, options);
        }
    }

    void add_maker(std::string name, maker maker);

    std::map<std::string, maker, std::less<>> makers_;
};

}

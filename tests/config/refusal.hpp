#pragma once

#include <cuebox/config/error.hpp>
#include <cuebox/config/parse.hpp>
#include <cuebox/config/read.hpp>

#include <string>
#include <string_view>

namespace cuebox::config::test {

// What an action is refused with; not being refused reads as a message too.
template <class Action>
std::string refusal(Action action)
{
    try {
        action();
    }
    catch (const error& refused) {
        return refused.what();
    }
    return "not refused";
}

template <class T>
T read_text(std::string_view text)
{
    return read<T>(parse(text, "app.jaxn"));
}

template <class T>
std::string refusal_of(std::string_view text)
{
    return refusal([text] { read_text<T>(text); });
}

}

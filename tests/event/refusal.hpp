#pragma once

#include <cuebox/event/decode.hpp>
#include <cuebox/event/encode.hpp>
#include <cuebox/event/error.hpp>

#include <string>
#include <string_view>

namespace cuebox::event::test {

// What an action is refused with; not being refused reads as a message too.
template <class Action>
std::string refusal(Action action)
{
    try {
        action();
    }
    catch (const payload_error& refused) {
        return refused.what();
    }
    catch (const envelope_error& refused) {
        return refused.what();
    }
    return "not refused";
}

template <class T>
std::string refusal_of(std::string_view json)
{
    return refusal([json] { decode<T>(json); });
}

template <class T>
std::string refusal_to_encode(const T& value)
{
    return refusal([&value] { encode(value); });
}

// One field of each type, and names short enough to read in a table.
template <class T>
struct one
{
    T a{};

    bool operator==(const one&) const = default;
};

}

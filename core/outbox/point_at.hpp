#pragma once

#include <span>
#include <vector>

namespace cuebox::outbox {

// Private to this room: to sort and to choose without moving what is there.
template <class T>
std::vector<const T*> point_at(std::span<const T> values)
{
    std::vector<const T*> all;
    all.reserve(values.size());
    for (const T& each : values)
        all.push_back(&each);
    return all;
}

}

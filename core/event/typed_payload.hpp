#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

namespace cuebox::event {

// A plain struct that states, beside its fields, which event it is the payload of:
//
//     static constexpr std::string_view event_type = "order.placed";
//     static constexpr int event_version = 1;
template <class T>
concept typed_payload = std::is_class_v<T> && std::is_aggregate_v<T> && requires {
    {
        T::event_type
    } -> std::convertible_to<std::string_view>;
    {
        T::event_version
    } -> std::convertible_to<int>;
    requires T::event_version >= 1;
};

}

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::outbox::test {

struct order_line
{
    std::string article{};
    std::int64_t count = 1;
};

// The payload most tests publish.
struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 2;

    std::int64_t number = 0;
    std::string buyer{};
    std::vector<order_line> lines{};
};

inline order_placed some_order(std::int64_t number)
{
    return {.number = number, .buyer = "Ada", .lines = {{.article = "tea", .count = 3}}};
}

}

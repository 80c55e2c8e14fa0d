#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench::publish {

// What every system writes: 200 bytes of JSON.
struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::uint64_t number = 0;
    std::string customer = "ada.lovelace@example.org";
    std::string ship_to = "12 St James's Square, London SW1Y 4JH";
    std::string sku = "TEA-0001";
    std::uint32_t count = 2;
    double price = 14.5;
    std::string currency = "GBP";
    std::string note = "ring twice, leave it with the neighbour";
    bool gift = true;
};

order_placed make_order(std::uint64_t number);

// The same as text, for programs that are given it.
std::string order_json();

}

#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What every system writes and reads: an order of about 1 KB, nested as orders are.
namespace bench::codec {

namespace systems {
inline constexpr auto* cuebox = "cuebox";
inline constexpr auto* cuebox_reused = "cuebox+reuse";
inline constexpr auto* taojson = "taojson_dom";
}

namespace workloads {
// Struct to text.
inline constexpr auto* encode = "encode";
// Text, in the order in which it was written, to struct.
inline constexpr auto* decode = "decode";
// Text as Postgres prints jsonb, its keys in another order and with spaces, to struct.
inline constexpr auto* decode_jsonb = "decode_jsonb";
}

struct address
{
    std::string name;
    std::string street;
    std::string city;
    std::string country;
    std::optional<std::string> note;

    bool operator==(const address&) const = default;
};

struct item
{
    std::string sku;
    std::string title;
    std::uint32_t count = 0;
    double price = 0;
    std::vector<std::string> options;

    bool operator==(const item&) const = default;
};

struct order
{
    cuebox::event::uuid order_id{};
    std::int64_t number = 0;
    cuebox::event::timestamp placed_at{};
    address ship_to;
    address bill_to;
    std::vector<item> items;
    std::map<std::string, std::string> labels;
    bool gift = false;

    bool operator==(const order&) const = default;
};

order make_order();
// The same as Postgres prints it from a jsonb column.
std::string_view order_from_jsonb();

}

#pragma once

#include <cuebox/event/decode.hpp>
#include <cuebox/event/encode.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// A payload with a bit of everything, as a shop would write it.
namespace cuebox::event::test {

enum class currency
{
    eur,
    usd
};

struct item
{
    std::string sku;
    std::uint32_t count = 0;
    double price = 0;

    bool operator==(const item&) const = default;
};

struct card
{
    std::string last_digits;
    static constexpr std::string_view tag = "card";

    bool operator==(const card&) const = default;
};

struct invoice
{
    int days = 0;
    std::optional<std::string> reference;
    static constexpr std::string_view tag = "invoice";

    bool operator==(const invoice&) const = default;
};

struct order_placed
{
    uuid order_id{};
    std::int64_t number = 0;
    timestamp placed_at{};
    test::currency currency = currency::eur;
    std::vector<item> items;
    std::variant<card, invoice> payment;
    std::map<std::string, std::string> labels;
    std::optional<std::string> note;
    bool gift = false;
    int priority = 3;

    static constexpr std::string_view defaulted[] = {"priority"};
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    bool operator==(const order_placed&) const = default;
};

inline order_placed some_order()
{
    return {.order_id = *parse_uuid("01938a5e-7c3b-7def-8123-456789abcdef"),
            .number = 9'007'199'254'740'993,
            .placed_at = *parse_timestamp("2026-11-16T03:44:05.123456Z"),
            .currency = currency::usd,
            .items = {{"tea", 2, 4.5}, {"cup", 1, 12}},
            .payment = invoice{.days = 30, .reference = {}},
            .labels = {{"shop", "north"}},
            .note = "Grüße \"an\" alle\n",
            .gift = true,
            .priority = 1};
}

inline constexpr std::string_view some_order_json =
    R"({"order_id":"01938a5e-7c3b-7def-8123-456789abcdef","number":9007199254740993,)"
    R"("placed_at":"2026-11-16T03:44:05.123456Z","currency":"USD",)"
    R"("items":[{"sku":"tea","count":2,"price":4.5},{"sku":"cup","count":1,"price":12}],)"
    R"("payment":{"type":"invoice","days":30},"labels":{"shop":"north"},)"
    R"("note":"Grüße \"an\" alle\n","gift":true,"priority":1})";

}

template <>
struct cuebox::event::enum_names<cuebox::event::test::currency>
{
    using currency = cuebox::event::test::currency;
    static constexpr std::pair<std::string_view, currency> values[] = {
        {"EUR", currency::eur},
        {"USD", currency::usd},
    };
};

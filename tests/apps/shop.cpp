#include <cuebox/event/contract.hpp>

#include <iostream>
#include <optional>
#include <string>
#include <string_view>

// A program that prints its contracts, as it was released and as somebody changed it later.
namespace shop {

struct order_placed
{
    std::int64_t number = 0;
    double total = 0;

    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;
};

struct order_placed_with_note
{
    std::int64_t number = 0;
    double total = 0;
    std::optional<std::string> note;

    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;
};

struct order_placed_in_words
{
    std::int64_t number = 0;
    std::string total;

    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;
};

struct order_placed_v2
{
    std::int64_t number = 0;
    std::string total;

    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 2;
};

struct order_cancelled
{
    std::int64_t number = 0;

    static constexpr std::string_view event_type = "order.cancelled";
    static constexpr int event_version = 1;
};

}

int main(int argc, char** argv)
{
    using namespace shop;
    using cuebox::event::print_contracts;

    const std::string_view change = argc > 1 ? argv[1] : "released";
    if (change == "released")
        print_contracts<order_placed, order_cancelled>(std::cout);
    else if (change == "additive")
        print_contracts<order_placed_with_note, order_cancelled>(std::cout);
    else if (change == "breaking")
        print_contracts<order_placed_in_words, order_cancelled>(std::cout);
    else if (change == "versioned")
        print_contracts<order_placed_v2, order_cancelled>(std::cout);
    else
        return 2;
}

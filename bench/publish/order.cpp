#include "order.hpp"

#include <cuebox/event/encode.hpp>

namespace bench::publish {

order_placed make_order(std::uint64_t number)
{
    return {.number = 1'000'000 + number};
}

std::string order_json()
{
    return cuebox::event::encode(make_order(0));
}

}

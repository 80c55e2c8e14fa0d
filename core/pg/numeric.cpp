#include <cuebox/pg/numeric.hpp>
#include <cuebox/pg/wire.hpp>

#include <cstdint>
#include <vector>

namespace cuebox::pg::detail {

// On the wire: how many digits, the weight of the first, the sign, how many decimals to show, and
// the digits, each from 0 to 9999.
std::string numeric_text(std::string_view data)
{
    const auto word = [data](std::size_t index) {
        return index * 2 + 2 <= data.size() ? wire::get<std::int16_t>(data.data() + index * 2)
                                            : std::int16_t{0};
    };
    const int count = word(0);
    const int weight = word(1);
    const auto sign = static_cast<std::uint16_t>(word(2));
    const int scale = word(3);
    if (sign == 0xC000)
        return "NaN";
    if (sign == 0xD000)
        return "Infinity";
    if (sign == 0xF000)
        return "-Infinity";

    const auto digit = [&](int position) { // Counted from the decimal point, leftwards positive.
        const int index = weight - position;
        const int value =
            index >= 0 && index < count ? word(static_cast<std::size_t>(4 + index)) : 0;
        std::string four = std::to_string(value);
        return std::string(4 - four.size(), '0') + four;
    };
    std::string whole;
    for (int position = weight; position >= 0; --position)
        whole += digit(position);
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
    std::string decimals;
    for (int position = -1; static_cast<int>(decimals.size()) < scale; --position)
        decimals += digit(position);
    decimals.resize(static_cast<std::size_t>(scale));

    std::string text = sign == 0x4000 ? "-" : "";
    text += whole.empty() ? "0" : whole;
    if (!decimals.empty())
        text += "." + decimals;
    return text;
}

}

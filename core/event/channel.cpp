#include <cuebox/event/channel.hpp>
#include <cuebox/event/error.hpp>

namespace cuebox::event {

namespace {

constexpr std::size_t channel_max = 63;
// What fits beside any generation: a row keeps its class when it moves to one with more digits.
constexpr std::size_t class_max = 32;
constexpr std::string_view first_letters = "abcdefghijklmnopqrstuvwxyz_";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_0123456789";

}

bool is_channel_name(std::string_view name)
{
    return !name.empty() && name.size() <= channel_max &&
           first_letters.find(name.front()) != std::string_view::npos &&
           name.find_first_not_of(letters) == std::string_view::npos;
}

std::string channel_for(std::int64_t generation, std::string_view processing_class)
{
    if (generation < 0)
        throw envelope_error{"generation",
                             std::to_string(generation) + "; generations are not negative"};
    if (processing_class.size() > class_max)
        throw envelope_error{"class", '"' + std::string{processing_class.substr(0, channel_max)} +
                                          "\" has " + std::to_string(processing_class.size()) +
                                          " bytes; at most " + std::to_string(class_max) +
                                          " are allowed"};
    auto channel = "outbox_gen_" + std::to_string(generation);
    if (!processing_class.empty())
        channel.append("_").append(processing_class);
    if (!is_channel_name(channel))
        throw envelope_error{"class", '"' + std::string{processing_class.substr(0, channel_max)} +
                                          "\" makes no channel name; use at most " +
                                          std::to_string(channel_max) + " of a-z, 0-9 and _ in \"" +
                                          channel.substr(0, channel_max) + '"'};
    return channel;
}

}

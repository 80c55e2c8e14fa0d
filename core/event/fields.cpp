#include <cuebox/event/fields.hpp>
#include <cuebox/event/shapes.hpp>

#include <algorithm>
#include <bitset>
#include <string>

namespace cuebox::event::detail {

namespace {

// From the one after the last found, because most texts keep the order of the struct.
std::size_t index_of(std::span<const field> fields, std::string_view key, std::size_t guess)
{
    for (std::size_t i = guess; i < fields.size(); ++i)
        if (fields[i].name == key)
            return i;
    for (std::size_t i = 0; i < guess; ++i)
        if (fields[i].name == key)
            return i;
    return fields.size();
}

std::string listed(std::span<const std::string_view> names)
{
    std::string list;
    for (const auto name : names)
        list.append(list.empty() ? "" : ", ").append(name);
    return list;
}

}

void read_fields(reader& in, std::span<const field> fields, void* object)
{
    std::bitset<fields_max> seen;
    std::size_t next = 0;
    in.begin_object();
    while (in.next_key()) {
        const auto index = index_of(fields, in.key(), next);
        if (index == fields.size()) {
            in.skip();
            continue;
        }
        if (seen[index])
            in.refuse("the key is there twice");
        fields[index].read(in, object);
        seen[index] = true;
        next = index + 1;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (seen[i])
            continue;
        if (fields[i].reset == nullptr)
            in.refuse_member(fields[i].name, "required, but missing");
        fields[i].reset(object);
    }
}

std::size_t read_name(reader& in, std::span<const std::string_view> names)
{
    const auto text = in.string();
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
        in.refuse("unknown value \"" + std::string{text.substr(0, 64)} + "\": expected one of " +
                  listed(names));
    return static_cast<std::size_t>(found - names.begin());
}

std::size_t peek_tag(reader& in, std::span<const std::string_view> tags)
{
    auto ahead = in;
    auto index = tags.size();
    ahead.begin_object();
    while (ahead.next_key()) {
        if (ahead.key() != tag_key) {
            ahead.skip();
            continue;
        }
        if (index != tags.size())
            ahead.refuse("the key is there twice");
        index = read_name(ahead, tags);
    }
    if (index == tags.size())
        ahead.refuse_member(tag_key, "required, but missing: one of " + listed(tags));
    return index;
}

}

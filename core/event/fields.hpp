#pragma once

#include <cuebox/event/reader.hpp>

#include <cstddef>
#include <span>
#include <string_view>

// The parts of decoding that need not know the type, so that they are compiled once.
namespace cuebox::event::detail {

// One field of some struct, which is passed as void.
struct field
{
    std::string_view name;
    void (*read)(reader& in, void* object);
    // Makes the field what it is when the text leaves it out; null if the text may not.
    void (*reset)(void* object);
};

inline constexpr std::size_t fields_max = 256;

// Reads an object: known keys into their fields, each at most once, unknown ones past. Then resets
// what was left out, or refuses when it may not be.
void read_fields(reader& in, std::span<const field> fields, void* object);

// The index among names of the string that comes next.
std::size_t read_name(reader& in, std::span<const std::string_view> names);

// The index among tags of the one in the object that comes next, which is not consumed: as Postgres
// orders keys, the tag may come last.
std::size_t peek_tag(reader& in, std::span<const std::string_view> tags);

}

#include <cuebox/pg/error.hpp>
#include <cuebox/pg/params.hpp>

namespace cuebox::pg {

namespace {

// The protocol counts parameters in 16 bits, and the server takes no value beyond 1 GB.
constexpr std::size_t params_max = 65'535;
constexpr std::size_t length_max = std::size_t{1} << 30;

}

namespace detail {

bool has_nul(std::string_view text)
{
    return text.find('\0') != text.npos;
}

}

params& params::add_null(oid type)
{
    add_slot({.type = type, .binary = false, .null = true, .begin = 0, .length = 0});
    return *this;
}

void params::add_text(std::string_view text)
{
    if (detail::has_nul(text))
        refuse("it contains a NUL byte: Postgres cannot store it");
    add_slot({.type = type::inferred,
              .binary = false,
              .null = false,
              .begin = buffer_.size(),
              .length = text.size()});
    buffer_.append(text).push_back('\0'); // libpq reads text up to the NUL.
}

void params::close_binary(oid type, std::size_t begin)
{
    add_slot({.type = type,
              .binary = true,
              .null = false,
              .begin = begin,
              .length = buffer_.size() - begin});
}

void params::add_slot(slot added)
{
    if (slots_.size() == params_max)
        refuse("a statement takes " + std::to_string(params_max) + ": pass the rest in an array");
    if (added.length > length_max)
        refuse("it is larger than 1 GB, the most Postgres takes");
    slots_.push_back(added);
}

void params::refuse(std::string_view why) const
{
    throw error(errc::usage, "",
                "parameter $" + std::to_string(slots_.size() + 1) + ": " + std::string(why));
}

params::view params::for_libpq() const
{
    view out;
    out.types.reserve(slots_.size());
    out.values.reserve(slots_.size());
    out.lengths.reserve(slots_.size());
    out.formats.reserve(slots_.size());
    for (const slot& each : slots_) {
        out.types.push_back(each.type);
        out.values.push_back(each.null ? nullptr : buffer_.data() + each.begin);
        out.lengths.push_back(static_cast<int>(each.length));
        out.formats.push_back(each.binary ? 1 : 0);
    }
    return out;
}

}

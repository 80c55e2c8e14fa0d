#include <cuebox/event/schema.hpp>
#include <cuebox/event/writer.hpp>

#include <algorithm>

namespace cuebox::event::detail {

namespace {

std::string integer_schema(const std::string& min, const std::string& max)
{
    return R"({"type":"integer","minimum":)" + min + R"(,"maximum":)" + max + "}";
}

}

void schema::string(std::string_view value)
{
    append_quoted(text_, value);
}

void schema::range(std::int64_t min, std::int64_t max)
{
    text_ += integer_schema(std::to_string(min), std::to_string(max));
}

void schema::range(std::uint64_t min, std::uint64_t max)
{
    text_ += integer_schema(std::to_string(min), std::to_string(max));
}

bool schema::open(const void* type, const std::string& pointer)
{
    const auto found = std::ranges::find(open_, type, &opened::type);
    if (found == open_.end()) {
        open_.push_back({type, pointer});
        return true;
    }
    text_ += R"({"$ref":)";
    append_quoted(text_, found->pointer);
    text_ += '}';
    return false;
}

}

#include <cuebox/event/error.hpp>
#include <cuebox/event/number.hpp>
#include <cuebox/event/reader.hpp>

#include <utility>

namespace cuebox::event {

std::string_view to_string(json_kind kind)
{
    constexpr std::string_view names[] = {"null", "boolean", "number", "string", "array", "object"};
    return names[static_cast<std::size_t>(kind)];
}

reader::reader(std::string_view json, std::size_t depth_limit) noexcept
    : begin_{json.data()},
      at_{begin_},
      end_{begin_ + json.size()},
      depth_limit_{depth_limit}
{}

json_kind reader::peek()
{
    skip_space();
    if (at_ == end_)
        refuse_syntax("it ends where a value should be");
    switch (*at_) {
    case '{':
        return json_kind::object;
    case '[':
        return json_kind::array;
    case '"':
        return json_kind::string;
    case 't':
    case 'f':
        return json_kind::boolean;
    case 'n':
        return json_kind::null;
    default:
        if (*at_ != '-' && (*at_ < '0' || *at_ > '9'))
            refuse_syntax("expected a value");
        return json_kind::number;
    }
}

void reader::null()
{
    if (peek() != json_kind::null)
        refuse_kind("null");
    literal("null");
}

bool reader::boolean()
{
    if (peek() != json_kind::boolean)
        refuse_kind("boolean");
    const bool value = *at_ == 't';
    literal(value ? "true" : "false");
    return value;
}

double reader::number()
{
    if (peek() != json_kind::number)
        refuse_kind("number");
    const auto text = number_text();
    if (const auto real = detail::to_double(text))
        return *real;
    refuse(detail::why_no_double(text));
}

std::int64_t reader::signed_integer(std::int64_t min, std::int64_t max)
{
    if (peek() != json_kind::number)
        refuse_kind("integer");
    const auto text = number_text();
    if (const auto number = detail::to_signed(text, min, max))
        return *number;
    refuse(detail::why_no_integer(text, std::to_string(min), std::to_string(max)));
}

std::uint64_t reader::unsigned_integer(std::uint64_t max)
{
    if (peek() != json_kind::number)
        refuse_kind("integer");
    const auto text = number_text();
    if (const auto number = detail::to_unsigned(text, max))
        return *number;
    refuse(detail::why_no_integer(text, "0", std::to_string(max)));
}

std::string_view reader::number_text()
{
    const char* const end = detail::number_end(at_, end_);
    if (end == nullptr)
        refuse_syntax("not a number");
    const std::string_view text{at_, static_cast<std::size_t>(end - at_)};
    at_ = end;
    return text;
}

std::string_view reader::string()
{
    if (peek() != json_kind::string)
        refuse_kind("string");
    return quoted(unescaped_);
}

void reader::begin_object()
{
    if (peek() != json_kind::object)
        refuse_kind("object");
    enter();
}

bool reader::next_key()
{
    path_.at_container();
    if (leave_at('}'))
        return false;
    if (at_ == end_ || *at_ != '"')
        refuse_syntax("expected a key in quotes");
    const auto* begin = at_ + 1;
    key_ = quoted(unescaped_key_);
    path_.at_key({begin, static_cast<std::size_t>(at_ - 1 - begin)});
    if (!next_is(':'))
        refuse_syntax("expected ':'");
    return true;
}

void reader::begin_array()
{
    if (peek() != json_kind::array)
        refuse_kind("array");
    enter();
}

bool reader::next_element()
{
    if (leave_at(']'))
        return false;
    path_.at_next_element();
    return true;
}

std::string_view reader::skip()
{
    const auto kind = peek();
    const char* const begin = at_;
    switch (kind) {
    case json_kind::null:
        null();
        break;
    case json_kind::boolean:
        boolean();
        break;
    case json_kind::number:
        number_text();
        break;
    case json_kind::string:
        quoted(unescaped_);
        break;
    case json_kind::array:
        enter();
        while (next_element())
            skip();
        break;
    case json_kind::object:
        enter();
        while (next_key())
            skip();
        break;
    }
    return {begin, static_cast<std::size_t>(at_ - begin)};
}

void reader::end()
{
    skip_space();
    if (at_ != end_)
        refuse_syntax("expected nothing more");
}

void reader::refuse(std::string_view why) const
{
    throw payload_error{where(), why};
}

void reader::refuse_member(std::string_view name, std::string_view why) const
{
    auto pointer = where();
    append_token(pointer, name);
    throw payload_error{std::move(pointer), why};
}

void reader::skip_space() noexcept
{
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r'))
        ++at_;
}

bool reader::next_is(char letter) noexcept
{
    skip_space();
    if (at_ == end_ || *at_ != letter)
        return false;
    ++at_;
    return true;
}

void reader::literal(std::string_view word)
{
    if (!std::string_view{at_, static_cast<std::size_t>(end_ - at_)}.starts_with(word))
        refuse_syntax("expected a value");
    at_ += word.size();
}

void reader::enter()
{
    if (path_.depth() == depth_limit_)
        refuse("nested deeper than " + std::to_string(depth_limit_) + " levels");
    ++at_;
    path_.enter();
    first_ = true;
}

// Past what separates the members, or past the end of all of them.
bool reader::leave_at(char bracket)
{
    if (next_is(bracket)) {
        path_.leave();
        first_ = false;
        return true;
    }
    if (!first_ && !next_is(','))
        refuse_syntax(bracket == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
    first_ = false;
    skip_space();
    return false;
}

void reader::refuse_kind(std::string_view wanted)
{
    refuse(std::string{"expected "}.append(wanted).append(", got ").append(to_string(peek())));
}

void reader::refuse_syntax(std::string_view why) const
{
    refuse("not JSON at byte " + std::to_string(at_ - begin_) + ": " + std::string{why});
}

}

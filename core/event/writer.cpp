#include <cuebox/event/check.hpp>
#include <cuebox/event/error.hpp>
#include <cuebox/event/utf8.hpp>
#include <cuebox/event/writer.hpp>

#include <charconv>
#include <cmath>

namespace cuebox::event {

namespace {

template <class Number>
void append_number(std::string& out, Number value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    out.append(text, static_cast<std::size_t>(end - text));
}

void append_escape(std::string& out, char letter)
{
    constexpr std::string_view letters = "\"\\\b\f\n\r\t";
    constexpr std::string_view escapes = "\"\\bfnrt";
    constexpr std::string_view digits = "0123456789abcdef";

    out += '\\';
    if (const auto index = letters.find(letter); index != std::string_view::npos)
        out += escapes[index];
    else
        ((out += "u00") += digits[static_cast<unsigned char>(letter) >> 4]) += digits[letter & 15];
}

// What keeps a text from being a JSON string that Postgres stores; nothing if it went well.
std::string_view try_append_quoted(std::string& out, std::string_view text)
{
    const char* at = text.data();
    const char* const end = at + text.size();
    out += '"';
    for (;;) {
        const char* const run = at;
        at = skip_plain(at, end);
        while (at != end && static_cast<unsigned char>(*at) >= 0x80) {
            const auto length = utf8_length(at, end);
            if (length == 0)
                return "invalid UTF-8";
            at = skip_plain(at + length, end);
        }
        out.append(run, static_cast<std::size_t>(at - run));
        if (at == end)
            break;
        if (*at == '\0')
            return "holds a NUL, which cannot be stored by Postgres";
        append_escape(out, *at++);
    }
    out += '"';
    return {};
}

}

writer::writer(std::string& out, limits limits) noexcept
    : out_{out},
      start_{out.size()},
      limits_{limits}
{}

void writer::integer(std::int64_t value)
{
    append_number(out_, value);
}

void writer::integer(std::uint64_t value)
{
    append_number(out_, value);
}

void writer::number(double value)
{
    if (!std::isfinite(value))
        refuse(std::isnan(value) ? "NaN is not a JSON number" : "infinity is not a JSON number");
    append_number(out_, value);
}

void writer::string(std::string_view value)
{
    check_size(value.size()); // Before a text without end is looked at.
    if (const auto why = try_append_quoted(out_, value); !why.empty())
        refuse(why);
    check_size(0);
}

void writer::raw(std::string_view json)
{
    check_size(json.size());
    try {
        check_json(json, limits_.depth - path_.depth());
    }
    catch (const payload_error& inside) {
        throw payload_error{path_.text() + inside.path(), inside.why()};
    }
    out_ += json;
}

void writer::key(std::string_view name)
{
    path_.at_container();
    separate('{');
    check_size(name.size());
    if (const auto why = try_append_quoted(out_, name); !why.empty())
        refuse(std::string{"a key: "}.append(why));
    out_ += ':';
    path_.at_key(name);
}

void writer::field(std::string_view name)
{
    path_.at_key(name);
    check_size(name.size());
    separate('{');
    out_ += '"';
    out_ += name;
    out_ += "\":";
}

void writer::element()
{
    path_.at_next_element();
    check_size(0);
    separate('[');
}

void writer::end() const
{
    check_size(0);
}

void writer::refuse(std::string_view why) const
{
    throw payload_error{path_.text(), why};
}

void writer::enter(char bracket)
{
    if (path_.depth() == limits_.depth)
        refuse("nested deeper than " + std::to_string(limits_.depth) + " levels");
    path_.enter();
    out_ += bracket;
}

void writer::leave(char bracket)
{
    path_.leave();
    out_ += bracket;
}

// No value ends in an opening bracket, so the last letter tells whether the container is empty.
void writer::separate(char opening)
{
    if (out_.back() != opening)
        out_ += ',';
}

// Each open object and array will still need its closing bracket.
void writer::check_size(std::size_t more) const
{
    if (out_.size() - start_ + path_.depth() + more > limits_.bytes)
        refuse("here the text grows past " + std::to_string(limits_.bytes) +
               " bytes: keep large data elsewhere and publish where it is");
}

void append_quoted(std::string& out, std::string_view text)
{
    try_append_quoted(out, text);
}

}

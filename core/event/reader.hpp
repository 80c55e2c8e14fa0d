#pragma once

#include <cuebox/event/limits.hpp>
#include <cuebox/event/path.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace cuebox::event {

enum class json_kind
{
    null,
    boolean,
    number,
    string,
    array,
    object
};

std::string_view to_string(json_kind kind);

// Reads a JSON text from front to back, one value at a time, for someone who knows what should
// come: nothing is built on the way. It takes RFC 8259 and nothing more, and refuses what is not
// well-formed UTF-8, \u0000, lone surrogates and what nests too deep, all with a payload_error that
// says where.
//
//     in.begin_object();
//     while (in.next_key())
//         if (in.key() == "total") total = in.number(); else in.skip();
class reader
{
public:
    // The text has to stay alive as long as the reader.
    explicit reader(std::string_view json, std::size_t depth_limit = depth_max) noexcept;

    // What kind of value comes next.
    json_kind peek();

    // Each reads one value, and refuses any other kind.
    void null();
    bool boolean();
    double number();
    // Whole numbers however they are written, 1e3 included; refused outside the bounds.
    std::int64_t signed_integer(std::int64_t min, std::int64_t max);
    std::uint64_t unsigned_integer(std::uint64_t max);
    // Valid until the next string or key is read.
    std::string_view string();
    // A number as it is written.
    std::string_view number_text();

    // After begin_object, each next_key that is true is followed by reading the value of key().
    void begin_object();
    bool next_key();
    std::string_view key() const noexcept { return key_; }

    // After begin_array, each next_element that is true is followed by reading a value.
    void begin_array();
    bool next_element();

    // Any value, checked like all others and not kept; its text.
    std::string_view skip();

    // Nothing but white space may be left.
    void end();

    // As pointer, and the blame for what the reader itself cannot know to be wrong.
    std::string where() const { return path_.text_of_escaped(); }
    [[noreturn]] void refuse(std::string_view why) const;
    // The same for a member that the object just read has or lacks.
    [[noreturn]] void refuse_member(std::string_view name, std::string_view why) const;

private:
    void skip_space() noexcept;
    bool next_is(char letter) noexcept;
    void literal(std::string_view word);
    void enter();
    bool leave_at(char bracket);
    std::string_view quoted(std::string& unescaped);
    void escape(std::string& out);
    char32_t code_unit();
    [[noreturn]] void refuse_kind(std::string_view wanted);
    [[noreturn]] void refuse_syntax(std::string_view why) const;

    const char* const begin_;
    const char* at_;
    const char* const end_;
    std::size_t depth_limit_;
    bool first_ = false; // Whether the container just began, so that no comma is due.
    std::string_view key_;
    std::string unescaped_key_;
    std::string unescaped_;
    path path_;
};

}

#pragma once

#include <cuebox/event/limits.hpp>
#include <cuebox/event/path.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace cuebox::event {

// Appends compact JSON to a string, and refuses with a payload_error what Postgres would not take
// as jsonb, or what is too large or too deep for an event. Who calls it opens and closes in order.
class writer
{
public:
    explicit writer(std::string& out, limits limits = {}) noexcept;

    void null() { out_ += "null"; }
    void boolean(bool value) { out_ += value ? "true" : "false"; }
    void integer(std::int64_t value);
    void integer(std::uint64_t value);
    // The shortest text that reads back as the same number.
    void number(double value);
    void string(std::string_view value);
    // A value that is JSON already, and is checked like any other.
    void raw(std::string_view json);

    void begin_object() { enter('{'); }
    // Before each value of an object. The name has to outlive the value's writing.
    void key(std::string_view name);
    // The same for the name of a field, which a C++ compiler has accepted: nothing to escape.
    void field(std::string_view name);
    void end_object() { leave('}'); }

    void begin_array() { enter('['); }
    // Before each value of an array.
    void element();
    void end_array() { leave(']'); }

    // Refuses a text that has grown past the limit since its last key, element or string.
    void end() const;

    [[noreturn]] void refuse(std::string_view why) const;

private:
    void enter(char bracket);
    void leave(char bracket);
    void separate(char opening);
    void check_size(std::size_t more) const;

    std::string& out_;
    const std::size_t start_;
    const limits limits_;
    path path_;
};

// A JSON string in quotes. For texts known to be UTF-8 without NUL, such as names in the source.
void append_quoted(std::string& out, std::string_view text);

}

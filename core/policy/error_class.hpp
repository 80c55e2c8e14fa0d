#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <typeinfo>

namespace cuebox {

// An exception that derives from this too names its own class, where its type is not what dead
// letters are to be grouped by. Empty: its type is its class.
class classified
{
public:
    virtual ~classified() = default;
    virtual std::string_view error_class() const noexcept = 0;
};

namespace policy {

// The error that a row keeps is "<class>: <message>": failures of one cause have one class. So a
// class is one line, has no colon, and no more bytes than this.
inline constexpr std::size_t class_max = 120;

// Any text as a class: its first line, with colons as dots and control characters escaped.
std::string make_class(std::string_view text);

// What stands before the first colon of an error's first line, as core.dead_letters has it.
std::string class_of(std::string_view reason);

// The class of an exception of this type. "shop::no_such_address" is shop.no_such_address;
// namespaces without a name, std and cuebox, enclosing functions, template arguments and what
// Boost and the standard library wrap exceptions in are left out.
std::string class_of(const std::type_info& type);
// The same of a type's demangled name.
std::string class_of_type(std::string_view name);

// A line that says what went wrong, in its two parts: "ValueError: no amount" has the class
// ValueError. A line without a colon is a class as a whole.
struct headline
{
    std::string error_class{};
    std::string message{};
};
headline split_line(std::string_view line);

// "<class>: <message>", as much of it as a row keeps. Without a class it is an "error".
std::string make_reason(std::string_view error_class, std::string_view message);

}

}

#include <cuebox/event/utf8.hpp>
#include <cuebox/policy/error_class.hpp>
#include <cuebox/policy/failure.hpp>

#include <boost/core/demangle.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace cuebox::policy {

namespace {

using namespace std::string_view_literals;

// They hold an exception of the type that is their first argument.
constexpr std::array wrappers{"boost::wrapexcept<"sv,
                              "boost::exception_detail::clone_impl<"sv,
                              "boost::exception_detail::error_info_injector<"sv,
                              "boost::exception_detail::current_exception_std_exception_wrapper<"sv,
                              "std::_Nested_exception<"sv,
                              "std::__nested<"sv};
constexpr auto anonymous = "(anonymous namespace)"sv;

bool is_control(char c)
{
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool names_something(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
}

std::string_view trim(std::string_view text)
{
    constexpr auto blanks = " \t\r\n"sv;
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

void append_escaped(std::string& out, char control)
{
    static constexpr auto digits = "0123456789abcdef"sv;
    const auto byte = static_cast<unsigned char>(control);
    if (control == '\t')
        out += ' ';
    else
        out.append("\\x").append({digits[byte >> 4U], digits[byte & 15U]});
}

// No newline, no control character, no longer than a class.
std::string make_line(std::string_view text)
{
    text = trim(text);
    text = trim(text.substr(0, text.find_first_of("\r\n")));
    std::string line;
    for (const char each : text.substr(0, class_max + 1))
        is_control(each) ? append_escaped(line, each) : line.push_back(each);
    line = cut_text(std::move(line), 4 * (class_max + 1)); // Now it is UTF-8.
    return line.size() > class_max ? cut_text(std::move(line), class_max - "…"sv.size()) : line;
}

std::string_view unwrap(std::string_view name)
{
    const auto wraps = [&](std::string_view wrapper) { return name.starts_with(wrapper); };
    for (auto at = std::ranges::find_if(wrappers, wraps); at != wrappers.end();
         at = std::ranges::find_if(wrappers, wraps))
    {
        name.remove_prefix(at->size());
        // A comma or the last bracket ends the argument, unless it is within one of the argument's.
        int depth = 0;
        const auto end = std::ranges::find_if(name, [&](char c) {
            depth += c == '<' ? 1 : 0;
            depth -= c == '>' ? 1 : 0;
            return depth < 0 || (depth == 0 && c == ',');
        });
        name = trim(name.substr(0, static_cast<std::size_t>(end - name.begin())));
    }
    return name;
}

// "refused<shop::order>" is "refused"; so is "refused[abi:cxx11]".
std::string_view without_arguments(std::string_view name)
{
    if (name.ends_with(']'))
        name = name.substr(0, name.rfind('['));
    if (!name.ends_with('>'))
        return name;
    int depth = 0;
    while (!name.empty()) {
        depth += name.back() == '>' ? 1 : 0;
        depth -= name.back() == '<' ? 1 : 0;
        name.remove_suffix(1);
        if (depth == 0)
            break;
    }
    return name;
}

// Takes the last name of a qualified one; empty when there is none, as of a function or a lambda.
std::string_view take_last(std::string_view& name)
{
    name = without_arguments(name);
    std::size_t from = name.size();
    while (from > 0 && names_something(name[from - 1]))
        --from;
    const std::string_view last = name.substr(from);
    name = name.substr(0, from);
    return last;
}

// Inline namespaces of the standard library.
bool is_noise(std::string_view name)
{
    return name.starts_with("__") || name == "_V2";
}

}

std::string make_class(std::string_view text)
{
    std::string line = make_line(text);
    std::string out;
    for (const char each : line)
        if (each != ':')
            out += each;
        else if (!out.ends_with('.'))
            out += '.';
    while (out.ends_with('.'))
        out.pop_back();
    return out;
}

std::string class_of(std::string_view reason)
{
    return make_line(reason.substr(0, reason.find_first_of(":\n")));
}

std::string class_of_type(std::string_view name)
{
    name = unwrap(trim(name));
    const std::string_view whole = name;
    std::vector<std::string_view> parts;
    for (;;) {
        if (name.ends_with(anonymous)) {
            name.remove_suffix(anonymous.size());
        }
        else {
            const std::string_view last = take_last(name);
            // What stands behind a blank is a function's: "operator()(int) const::lost".
            if (last.empty() || (!parts.empty() && name.ends_with(' ')))
                break;
            if (!is_noise(last))
                parts.push_back(last);
        }
        if (!name.ends_with("::"))
            break;
        name.remove_suffix(2);
    }
    if (parts.size() > 1 && (parts.back() == "std" || parts.back() == "cuebox"))
        parts.pop_back();
    std::string out;
    for (auto at = parts.rbegin(); at != parts.rend(); ++at)
        out.append(out.empty() ? "" : ".").append(*at);
    // What is too long is told by its own name rather than by its namespaces.
    if (out.size() > class_max)
        out = parts.front();
    return make_class(out.empty() ? whole : out);
}

std::string class_of(const std::type_info& type)
{
    return class_of_type(boost::core::demangle(type.name()));
}

headline split_line(std::string_view line)
{
    std::string plain;
    for (line = trim(line); !line.empty(); line.remove_prefix(1))
        if (line.starts_with("::"))
            plain += '.', line.remove_prefix(1);
        else
            plain += line.front();
    const auto colon = plain.find(':');
    if (colon == std::string::npos || colon == 0)
        return {.error_class = make_class(plain), .message = {}};
    return {.error_class = make_class(plain.substr(0, colon)),
            .message = std::string(trim(std::string_view(plain).substr(colon + 1)))};
}

std::string make_reason(std::string_view error_class, std::string_view message)
{
    std::string reason = make_class(error_class);
    if (reason.empty())
        reason = "error";
    return shorten_reason(reason.append(": ").append(message));
}

}

#include <cuebox/alerts/text.hpp>
#include <cuebox/event/utf8.hpp>
#include <cuebox/policy/error_class.hpp>

#include <algorithm>
#include <array>

namespace cuebox::alerts {

namespace {

constexpr std::size_t cause_max = 120;
// Types that many causes have.
constexpr std::array<std::string_view, 9> unspecific{"",
                                                     "error",
                                                     "exception",
                                                     "runtime_error",
                                                     "logic_error",
                                                     "terminal_error",
                                                     "not_handled",
                                                     "task_failed",
                                                     "system_error"};
// From here on a run of hexadecimal digits is an id rather than a word.
constexpr std::size_t id_min = 8;

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '-';
}

// How much of the front is a number or an id.
std::size_t variable_length(std::string_view text)
{
    const auto hex =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_hex) - text.begin());
    if (hex >= id_min && std::ranges::any_of(text.substr(0, hex), is_digit))
        return hex;
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

// "order 7 is gone" is "order # is gone".
std::string generalize(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const auto quote = text.front() == '"' ? text.find('"', 1) : std::string_view::npos;
        if (quote != std::string_view::npos) {
            out += "\"…\"";
            text.remove_prefix(quote + 1);
        }
        else if (const std::size_t skip = variable_length(text)) {
            out += '#';
            text.remove_prefix(skip);
        }
        else {
            out += text.front();
            text.remove_prefix(1);
        }
    }
    return out.empty() ? "unknown" : clean(out, cause_max);
}

}

std::string clean(std::string_view text, std::size_t max)
{
    static constexpr std::string_view more = "…";
    std::string out;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        const std::size_t length = event::utf8_length(at, end);
        const bool good = length > 0 && *at != '\0';
        const std::string_view next = good ? std::string_view(at, length) : "?";
        if (out.size() + next.size() > max) {
            while (!out.empty() && out.size() + more.size() > max) {
                // A whole character goes, not a part of one.
                while ((static_cast<unsigned char>(out.back()) & 0xc0) == 0x80)
                    out.pop_back();
                out.pop_back();
            }
            return out.append(more);
        }
        out += next;
        at += good ? length : 1;
    }
    return out;
}

std::string cause_of(std::string_view error)
{
    const std::string kind = policy::class_of(error);
    // Their numbers are what tells them apart.
    if (kind.starts_with("SQLSTATE ") || kind.starts_with("HTTP "))
        return kind;
    if (std::ranges::find(unspecific, kind) == unspecific.end())
        return generalize(kind);
    return generalize(error.substr(0, error.find('\n')));
}

}

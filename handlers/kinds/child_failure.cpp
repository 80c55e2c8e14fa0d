#include "child_failure.hpp"

#include <algorithm>

namespace cuebox::handlers {

namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view breaks = "\r\n";
constexpr std::string_view traceback = "Traceback (most recent call last)";
// From here on digits in front of a line are a date or an id, and no part of the cause.
constexpr std::ptrdiff_t stamp_min = 8;

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

std::string_view trim(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// The line that says what went wrong.
std::string_view find_line(const child_outcome& ended)
{
    const std::string_view first = trim(ended.err_head);
    const std::string_view last = trim(ended.err);
    if (first.find(traceback) != std::string_view::npos ||
        last.find(traceback) != std::string_view::npos)
        return trim(last.substr(last.find_last_of(breaks) + 1));
    return trim(first.substr(0, first.find_first_of(breaks)));
}

void drop_stamp(std::string_view& line)
{
    const auto end = std::min(line.find_first_not_of("0123456789-:.,/+TZ []"), line.size());
    if (std::ranges::count_if(line.substr(0, end), is_digit) >= stamp_min)
        line.remove_prefix(end);
}

// "/opt/ship.sh: line 3: curl: command not found": a shell names its script first.
void drop_program(std::string_view& line, std::string_view program)
{
    for (const auto name : {program, program.substr(program.rfind('/') + 1)}) {
        const std::string_view after = line.substr(std::min(name.size(), line.size()));
        if (!line.starts_with(name) || !after.starts_with(": "))
            continue;
        line = after.substr(2);
        std::string_view number = line;
        if (number.starts_with("line "))
            number.remove_prefix(5);
        const auto digits = std::min(number.find_first_not_of("0123456789"), number.size());
        if (digits > 0 && number.substr(digits).starts_with(": "))
            line = number.substr(digits + 2);
        return;
    }
}

}

policy::headline describe(const std::string& program, const child_outcome& ended)
{
    const std::string how = ended.signal != 0 ? "ended by signal " + std::to_string(ended.signal)
                                              : "exited with " + std::to_string(ended.exit);
    const std::string_view said = find_line(ended);
    std::string_view line = said;
    drop_stamp(line);
    drop_program(line, program);
    policy::headline why = policy::split_line(line);
    if (why.error_class.empty())
        why = {.error_class = how, .message = program};
    else if (why.message.empty())
        why.message = program + " " + how;
    else
        why.message += " (" + program + " " + how + ")";

    std::string_view rest = trim(ended.err);
    if (rest.starts_with(said))
        rest = trim(rest.substr(said.size()));
    else if (rest.ends_with(said))
        rest = trim(rest.substr(0, rest.size() - said.size()));
    if (!rest.empty())
        why.message.append("\n").append(rest);
    // An exception's text ends at a NUL.
    std::ranges::replace(why.message, '\0', ' ');
    return why;
}

}

#include <cuebox/pg/error.hpp>

#include <algorithm>

namespace cuebox::pg {

namespace {

std::string named(std::string_view statement, std::string_view what)
{
    std::string text;
    if (!statement.empty())
        text.append(statement).append(": ");
    return text.append(what);
}

std::string describe(std::string_view statement, const server_error& from)
{
    std::string text = named(statement, from.message);
    text.append(" (SQLSTATE ").append(from.sqlstate).append(")");
    if (!from.hint.empty())
        text.append("; hint: ").append(from.hint);
    return text;
}

}

error::error(errc code, std::string_view statement, std::string_view what)
    : std::runtime_error(named(statement, what)),
      code_(code),
      statement_(statement),
      server_{.message = std::string(what)}
{}

error::error(std::string_view statement, server_error from)
    : std::runtime_error(describe(statement, from)),
      code_(errc::server),
      statement_(statement),
      server_(std::move(from))
{}

namespace detail {

namespace {

bool is_ascii(std::string_view text)
{
    return std::ranges::all_of(text, [](unsigned char each) { return each < 0x80; });
}

}

std::string without_values(std::string_view sqlstate, std::string_view message)
{
    std::string kept(message);
    if (!sqlstate.starts_with("22"))
        return kept;
    if (const auto quote = kept.find(": \""); quote != kept.npos)
        kept.resize(quote);
    const auto first = kept.find('"');
    const auto last = kept.rfind('"');
    const bool names_encoding = sqlstate == "22021";
    if (first != last && !names_encoding)
        kept.replace(first, last - first + 1, "\"...\"");
    const bool lonely_quote = first == last && first != kept.npos;
    return lonely_quote || !is_ascii(kept) ? "invalid data" : kept;
}

}

}

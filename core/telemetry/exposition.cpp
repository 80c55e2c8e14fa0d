#include <cuebox/telemetry/exposition.hpp>

#include <charconv>
#include <cmath>

namespace cuebox::telemetry {

namespace {

std::string_view to_string(exposition::type type)
{
    switch (type) {
    case exposition::type::counter:
        return "counter";
    case exposition::type::gauge:
        return "gauge";
    case exposition::type::histogram:
        return "histogram";
    }
    return "untyped";
}

// Quotes are only special within a label's value.
std::string escape(std::string_view text, bool quoted)
{
    std::string out;
    out.reserve(text.size());
    for (const char each : text) {
        if (each == '\\')
            out += "\\\\";
        else if (each == '\n')
            out += "\\n";
        else if (each == '"' && quoted)
            out += "\\\"";
        else
            out += each;
    }
    return out;
}

std::string print(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    // As a person would write it, where that is not too long.
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-6 && size < 1e17);
    char digits[64];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value,
                                   plain ? std::chars_format::fixed : std::chars_format::general)
                         .ptr;
    return {std::begin(digits), end};
}

}

void exposition::family(std::string_view name, type type, std::string_view help)
{
    name_ = name;
    text_.append("# HELP ").append(name).append(" ").append(escape(help, false)).append("\n");
    text_.append("# TYPE ").append(name).append(" ").append(to_string(type)).append("\n");
}

void exposition::sample(const labels& of, double value)
{
    line("", of, "", value);
}

void exposition::sample(const labels& of, const distribution& of_values)
{
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < of_values.counts.size(); ++i) {
        so_far += of_values.counts[i];
        const bool last = i == of_values.bounds.size();
        line("_bucket", of, last ? "+Inf" : print(of_values.bounds[i]),
             static_cast<double>(so_far));
    }
    line("_sum", of, "", of_values.sum);
    line("_count", of, "", static_cast<double>(so_far));
}

void exposition::line(std::string_view suffix, const labels& of, std::string_view bound,
                      double value)
{
    text_.append(name_).append(suffix);
    char between = '{';
    const auto put = [&](std::string_view name, std::string_view text) {
        text_ += between;
        text_.append(name).append("=\"").append(escape(text, true)).append("\"");
        between = ',';
    };
    for (const auto& [name, text] : of)
        put(name, text);
    if (!bound.empty())
        put("le", bound);
    if (between == ',')
        text_ += '}';
    text_.append(" ").append(print(value)).append("\n");
}

}

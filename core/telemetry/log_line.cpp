#include <cuebox/event/printable.hpp>
#include <cuebox/event/timestamp.hpp>
#include <cuebox/telemetry/log_line.hpp>

#include <charconv>
#include <cmath>

namespace cuebox::telemetry {

namespace {

void put_text(std::string& out, std::string_view text)
{
    static constexpr char digits[] = "0123456789abcdef";
    out.push_back('"');
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        if (each == '"' || each == '\\')
            out.append({'\\', each});
        else if (each == '\n')
            out.append("\\n");
        else if (byte < 0x20 || byte == 0x7f)
            out.append("\\u00").append({digits[byte >> 4U], digits[byte & 15U]});
        else
            out.push_back(each);
    }
    out.push_back('"');
}

void put_number(std::string& out, auto number)
{
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
    out.append(std::begin(digits), end);
}

struct value_printer
{
    std::string& out;
    bool json;

    void operator()(std::int64_t number) const { put_number(out, number); }
    void operator()(double number) const
    {
        if (std::isfinite(number))
            put_number(out, number);
        else
            out.append("null");
    }
    void operator()(bool truth) const { out.append(truth ? "true" : "false"); }
    void operator()(const std::string& text) const
    {
        const bool plain = !text.empty() && text.find_first_of(" \"\\=\n\t") == std::string::npos;
        if (json || !plain)
            put_text(out, text);
        else
            out.append(text);
    }
};

}

std::string print_json(const line& line, const origin& from, moment at)
{
    std::string out = R"({"timestamp":")";
    out += event::print_timestamp(at).value_or("");
    out += R"(","level":")";
    out += to_string(line.level);
    out += '"';
    const auto member = [&out](std::string_view key, std::string_view text) {
        if (text.empty())
            return;
        out.append(",\"").append(key).append("\":");
        put_text(out, text);
    };
    member("service", from.service);
    member("environment", from.environment);
    member("version", from.version);
    member("message", line.message);
    for (const field& each : line.fields) {
        out.append(",");
        put_text(out, each.key);
        out.append(":");
        std::visit(value_printer{out, true}, each.value);
    }
    out += '}';
    return out;
}

std::string print_text(const line& line, moment at)
{
    std::string out = event::print_timestamp(at).value_or("").substr(11, 12);
    out += ' ';
    out += to_string(line.level);
    out.append(8 - to_string(line.level).size(), ' ');
    out += line.message;
    for (const field& each : line.fields) {
        // What is not there need not be read over by a person.
        const auto* text = std::get_if<std::string>(&each.value);
        if (text && text->empty())
            continue;
        out.append("  ").append(each.key).append("=");
        std::visit(value_printer{out, false}, each.value);
    }
    return event::printable(out);
}

}

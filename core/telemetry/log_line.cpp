#include <cuebox/event/timestamp.hpp>
#include <cuebox/telemetry/log_line.hpp>
#include <cuebox/telemetry/log_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace cuebox::telemetry {

namespace {

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
        if (json) {
            append_quoted(out, text);
            return;
        }
        const std::size_t before = out.size();
        append_quoted(out, text);
        // Quotes only where they are needed: around blanks, and around what had to be escaped.
        const bool as_it_was = out.compare(before + 1, out.size() - before - 2, text) == 0;
        if (as_it_was && !text.empty() && text.find_first_of(" =") == std::string::npos)
            out.replace(before, std::string::npos, text);
    }
};

// What a line has in any case, and what a field of that name may say instead.
constexpr std::array<std::string_view, 5> canonical{"service", "environment", "version", "trace_id",
                                                    "span_id"};
// What no field may say: it would be there twice.
constexpr std::array<std::string_view, 3> reserved{"timestamp", "level", "message"};

// The last field of that name.
const field* find_field(std::span<const field> fields, std::string_view key)
{
    const auto at = std::find_if(fields.rbegin(), fields.rend(),
                                 [&](const field& each) { return each.key == key; });
    return at == fields.rend() ? nullptr : &*at;
}

class json_line
{
public:
    explicit json_line(std::string& out) : out_(out) {}

    void put_text(std::string_view key, std::string_view text)
    {
        put_key(key);
        append_quoted(out_, text);
    }
    void put_value(std::string_view key, const field::value_type& value)
    {
        put_key(key);
        std::visit(value_printer{out_, true}, value);
    }

private:
    void put_key(std::string_view key)
    {
        out_ += out_.empty() ? '{' : ',';
        append_quoted(out_, key);
        out_ += ':';
    }

    std::string& out_;
};

}

std::string print_json(const line& line, const origin& from, moment at)
{
    std::string out;
    json_line json(out);
    json.put_text("timestamp", event::print_timestamp(at).value_or(""));
    json.put_text("level", to_string(line.level));
    const std::array<std::string_view, canonical.size()> known{from.service, from.environment,
                                                               from.version, "", ""};
    for (std::size_t i = 0; i < canonical.size(); ++i)
        if (const field* said = find_field(line.fields, canonical[i]))
            json.put_value(canonical[i], said->value);
        else
            json.put_text(canonical[i], known[i]);
    json.put_text("message", line.message);
    for (const field& each : line.fields) {
        const bool told = std::ranges::find(canonical, each.key) != canonical.end() ||
                          find_field(line.fields, each.key) != &each;
        if (told)
            continue;
        if (std::ranges::find(reserved, each.key) != reserved.end())
            json.put_value(each.key + "_", each.value);
        else
            json.put_value(each.key, each.value);
    }
    out += '}';
    return out;
}

std::string print_text(const line& line, moment at)
{
    // "2026-11-16T03:44:05.123456Z" to the millisecond.
    std::string out = event::print_timestamp(at).value_or("").substr(0, 23);
    std::ranges::replace(out, 'T', ' ');
    out += "Z ";
    out += to_string(line.level);
    out.append(8 - to_string(line.level).size(), ' ');
    append_safe(out, line.message);
    for (const field& each : line.fields) {
        // What is not there need not be read over by a person.
        const auto* text = std::get_if<std::string>(&each.value);
        if (text && text->empty())
            continue;
        out += "  ";
        append_safe(out, each.key);
        out += '=';
        std::visit(value_printer{out, false}, each.value);
    }
    return out;
}

}

#include <cuebox/event/check.hpp>
#include <cuebox/event/contract.hpp>
#include <cuebox/event/decode.hpp>
#include <cuebox/event/error.hpp>

namespace cuebox::event {

namespace {

struct heading
{
    std::string event_type;
    int event_version = 1;
};

// An event type becomes part of a file name: nothing in it may lead out of the folder.
bool is_file_name(std::string_view name)
{
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !name.empty() && name.size() <= 200 && !name.starts_with('.') &&
           name.find_first_not_of(letters) == std::string_view::npos;
}

}

std::string contract::title() const
{
    return event_type + " v" + std::to_string(event_version);
}

std::string contract::file_name() const
{
    return event_type + ".v" + std::to_string(event_version) + ".json";
}

contract parse_contract(std::string_view json)
{
    heading read;
    try {
        check_json(json);
        decode_into(read, json);
    }
    catch (const payload_error& wrong) {
        throw contract_error{std::string{"not a contract, which event::print_contracts prints: "} +
                             wrong.what()};
    }
    if (!is_file_name(read.event_type))
        throw contract_error{"event type \"" + read.event_type.substr(0, 200) +
                             "\" cannot be a file name: use letters, digits, '.', '_' and '-'"};
    if (read.event_version < 1)
        throw contract_error{read.event_type + ": versions start at 1"};
    return {read.event_type, read.event_version, std::string{json}};
}

std::vector<contract> parse_contracts(std::string_view lines)
{
    std::vector<contract> contracts;
    for (std::size_t number = 1; !lines.empty(); ++number) {
        const auto end = std::min(lines.find('\n'), lines.size());
        const auto line = lines.substr(0, end);
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos)
            continue;
        try {
            contracts.push_back(parse_contract(line));
        }
        catch (const contract_error& wrong) {
            throw contract_error{"line " + std::to_string(number) + ": " + wrong.what()};
        }
    }
    return contracts;
}

std::string pretty(std::string_view json)
{
    std::string text;
    std::size_t depth = 0;
    bool in_string = false;
    const auto new_line = [&] { text.append("\n").append(2 * depth, ' '); };

    for (std::size_t i = 0; i < json.size(); ++i) {
        const char letter = json[i];
        const char next = i + 1 < json.size() ? json[i + 1] : '\0';
        if (in_string || letter == '"') {
            text += letter;
            if (letter == '\\')
                text += json[++i];
            else if (letter == '"')
                in_string = !in_string;
        }
        else if ((letter == '{' && next == '}') || (letter == '[' && next == ']')) {
            (text += letter) += json[++i];
        }
        else if (letter == '{' || letter == '[') {
            text += letter;
            ++depth;
            new_line();
        }
        else if (letter == '}' || letter == ']') {
            --depth;
            new_line();
            text += letter;
        }
        else if (letter == ',') {
            text += letter;
            new_line();
        }
        else if (letter == ':') {
            text += ": ";
        }
        else if (letter != ' ' && letter != '\n' && letter != '\t' && letter != '\r') {
            text += letter;
        }
    }
    return text += '\n';
}

}

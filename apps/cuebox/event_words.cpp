#include "event_words.hpp"

#include "printable.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace cuebox::cli {

std::string or_dash(const std::optional<std::string>& text)
{
    return text ? printable(*text) : "-";
}

std::string way(const std::string& source, const std::optional<std::string>& target)
{
    return printable(source) + " → " + (target ? printable(*target) : "all");
}

std::string retries(std::int32_t used)
{
    return std::to_string(used) + (used == 1 ? " retry" : " retries");
}

std::string first_line(event::uuid id, event::timestamp time, std::string_view type,
                       std::size_t columns)
{
    return fit(event::print_uuid(id) + "  " + print_time(time) + "  " + printable(type), columns);
}

std::string first_line_head(std::string_view time, std::size_t columns)
{
    const std::size_t id_width = event::print_uuid({}).size();
    const std::size_t time_width = print_time(event::timestamp{}).size();
    std::string head = "ID";
    head.append(id_width + 2 - head.size(), ' ').append(time);
    head.append(id_width + 2 + time_width + 2 - head.size(), ' ').append("TYPE");
    return fit(head, columns);
}

std::string after(const std::string& next)
{
    return "  --after " + next;
}

}

#include <cuebox/config/error.hpp>

#include <utility>

namespace cuebox::config {

namespace {

// The root's pointer is empty; a lone slash keeps its place in the message visible.
std::string located(std::string_view source, std::string_view path, std::string_view why)
{
    std::string message;
    if (!source.empty())
        message.append(source).append(": ");
    return message.append(path.empty() ? "/" : path).append(": ").append(why);
}

}

error::error(std::string_view source, std::string path, std::string_view why)
    : std::runtime_error{located(source, path, why)},
      path_{std::move(path)},
      why_{why}
{}

error::error(std::string_view source, std::size_t line, std::size_t column, std::string_view why)
    : std::runtime_error{std::string{source}
                             .append(":" + std::to_string(line))
                             .append(":" + std::to_string(column) + ": ")
                             .append(why)},
      why_{why}
{}

}

#include <cuebox/embedded/log_tail.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

namespace cuebox::embedded {

std::uintmax_t log_end(const std::filesystem::path& log)
{
    std::error_code none;
    const auto size = std::filesystem::file_size(log, none);
    return none ? 0 : size;
}

std::string log_since(const std::filesystem::path& log, std::uintmax_t start)
{
    constexpr std::uintmax_t longest = 65536;
    const auto end = log_end(log);
    const auto from = std::max(start, end > longest ? end - longest : 0);
    std::ifstream file{log, std::ios::binary};
    file.seekg(static_cast<std::streamoff>(from));
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::string last_lines(const std::string& text, int count)
{
    std::istringstream stream{text};
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty())
            lines.push_back(line);
    const auto first = lines.end() - std::min<std::ptrdiff_t>(count, std::ssize(lines));
    std::string tail;
    for (auto line = first; line != lines.end(); ++line)
        tail.append("\n  ").append(*line);
    return tail;
}

}

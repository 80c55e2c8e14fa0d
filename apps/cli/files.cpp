#include <cuebox/cli/command.hpp>
#include <cuebox/cli/files.hpp>

#include <fstream>
#include <iostream>
#include <iterator>

namespace cuebox::cli {

std::optional<std::string> read_file(const std::filesystem::path& path)
{
    using all = std::istreambuf_iterator<char>;
    if (path == "-")
        return std::string{all{std::cin}, all{}};
    if (!std::filesystem::exists(path))
        return std::nullopt;
    std::ifstream file{path, std::ios::binary};
    std::string text{all{file}, all{}};
    if (!file.is_open() || file.bad() || std::filesystem::is_directory(path))
        throw failure{"cannot read " + path.string() + ": check that it is a file you may read"};
    return text;
}

void write_file(const std::filesystem::path& path, std::string_view text)
{
    auto unfinished = path;
    unfinished += ".new";
    std::ofstream file{unfinished, std::ios::binary};
    file << text;
    file.close();
    std::error_code error;
    if (file)
        std::filesystem::rename(unfinished, path, error);
    if (!file || error) {
        std::filesystem::remove(unfinished, error);
        throw failure{"cannot write " + path.string() + ": check the folder's rights and space"};
    }
}

}

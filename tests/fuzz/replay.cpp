#include "target.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

// replay FOLDER...: runs the target over every file, as an ordinary test without libFuzzer.
int main(int argc, char** argv)
{
    std::size_t count = 0;
    for (int i = 1; i < argc; ++i)
        for (const auto& entry : std::filesystem::directory_iterator{argv[i]}) {
            std::ifstream file{entry.path(), std::ios::binary};
            const std::string input{std::istreambuf_iterator<char>{file}, {}};
            std::cout << entry.path().filename().string() << std::endl;
            LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()),
                                   input.size());
            ++count;
        }
    std::cout << count << " inputs\n";
    return count > 0 ? 0 : 1;
}

#include "target.hpp"

#include <cuebox/config/error.hpp>
#include <cuebox/config/parse.hpp>
#include <cuebox/config/read.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace fuzz_config {

struct child
{
    std::string name;
    std::chrono::milliseconds every{250};
    std::optional<double> ratio;
    cuebox::config::node params;

    static constexpr std::string_view required[] = {"name"};
};

struct app
{
    bool verbose = false;
    int port = 0;
    std::vector<child> children;
    std::map<std::string, std::string> labels;
};

}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace cuebox;
    try {
        const auto root = config::parse(fuzz::as_text(data, size), "fuzz");
        const auto settings = config::read<fuzz_config::app>(root);
        for (const auto& child : settings.children)
            fuzz::require(config::parse_duration(config::print_duration(child.every)) ==
                              child.every,
                          "a duration that is read is printed the same");
    }
    catch (const config::error&) {
    }
    return 0;
}

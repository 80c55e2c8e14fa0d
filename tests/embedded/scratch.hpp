#pragma once

#include <cuebox/embedded/error.hpp>

#include <filesystem>
#include <stdexcept>
#include <stdlib.h>
#include <string>

namespace cuebox::embedded::test {

// A directory for one test, which anybody may pass; removed at the end.
class scratch
{
public:
    scratch()
    {
        std::string name = "/tmp/cuebox_test_XXXXXX";
        if (!::mkdtemp(name.data()))
            throw std::runtime_error{"no scratch directory"};
        path_ = name;
        std::filesystem::permissions(path_, std::filesystem::perms::all);
    }
    ~scratch()
    {
        std::error_code none;
        std::filesystem::remove_all(path_, none);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

// What an action is refused with; not being refused reads as a message too.
template <class Action>
std::string refusal(Action action)
{
    try {
        action();
    }
    catch (const error& refused) {
        return refused.what();
    }
    return "not refused";
}

}

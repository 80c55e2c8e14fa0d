#pragma once

#include <cuebox/pg/error.hpp>

#include <optional>
#include <string>

namespace cuebox::pg::test {

// What an action was refused with.
struct refusal
{
    std::optional<errc> code{};
    std::string what = "not refused";
    std::string sqlstate{};

    bool says(std::string_view part) const { return what.find(part) != what.npos; }
};

template <class Action>
refusal refusal_of(Action action)
{
    try {
        action();
    }
    catch (const error& refused) {
        return {.code = refused.code(), .what = refused.what(), .sqlstate = refused.sqlstate()};
    }
    return {};
}

}

#pragma once

#include <cuebox/runtime/supervision.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace cuebox::test {

using namespace std::chrono_literals;

// A supervision and its clock. Decisions are read as text: "stop 2", "start 0, start 1", "wait 1s".
// Each child is restarted a second after its failure, and two after the second in a row.
struct drill
{
    explicit drill(strategy which, std::size_t children = 3, std::size_t restarts = 5)
        : subject(which, {.restarts = restarts, .within = 60s},
                  {.base = 2s, .multiplier = 2, .cap = 8s, .calm = 30s})
    {
        while (children-- > 0)
            subject.add(restart::permanent);
    }

    std::string next()
    {
        std::string text;
        for (const supervisor_action& each : subject.next(now))
            text +=
                (text.empty() ? "" : ", ") + std::visit([this](auto it) { return say(it); }, each);
        return text;
    }
    std::string say(start_child it) const { return "start " + std::to_string(it.child); }
    std::string say(stop_child it) const { return "stop " + std::to_string(it.child); }
    std::string say(close_child it) const { return "close " + std::to_string(it.child); }
    std::string say(finish it) const { return it.escalate ? "escalate" : "finish"; }
    std::string say(wait_until it) const
    {
        return "wait " +
               std::to_string(
                   std::chrono::duration_cast<std::chrono::seconds>(it.when - now).count()) +
               "s";
    }

    supervision::verdict fails(std::size_t child)
    {
        return subject.ended(child, exit_kind::failed, now, 0);
    }
    void stops(std::size_t child) { subject.ended(child, exit_kind::stopped, now, 0); }
    void finishes(std::size_t child) { subject.ended(child, exit_kind::finished, now, 0); }
    std::string starts(std::size_t child)
    {
        subject.started(child);
        return next();
    }
    void bring_up()
    {
        (void)next();
        for (std::size_t i = 0; i < subject.size(); ++i)
            (void)starts(i);
        REQUIRE(subject.all_up());
    }

    supervision subject;
    time_point now{};
};

}

#include "worker/workshop.hpp"

#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include <iostream>

namespace cuebox::worker::test {

namespace {

constexpr std::size_t tail = 6'000;

std::vector<std::string>& kept()
{
    static std::vector<std::string> all;
    return all;
}

class last_words : public Catch::EventListenerBase
{
public:
    using EventListenerBase::EventListenerBase;

    void testCaseStarting(const Catch::TestCaseInfo&) override { kept().clear(); }
    void testCaseEnded(const Catch::TestCaseStats& stats) override
    {
        if (stats.totals.assertions.failed == 0)
            return;
        for (const std::string& each : kept())
            std::cout << "a worker of " << stats.testInfo->name << " said:\n" << each << '\n';
    }
};

std::string end_of(const std::string& text)
{
    return text.size() <= tail ? text : "..." + text.substr(text.size() - tail);
}

}

void keep_last_words(const std::string& log, const std::string& complaints)
{
    kept().push_back(end_of(log) + end_of(complaints));
}

CATCH_REGISTER_LISTENER(last_words)

}

#include <cuebox/telemetry/metrics.hpp>

#include <catch2/catch_test_macros.hpp>

#include <thread>

using namespace cuebox::telemetry;
using namespace std::chrono_literals;

namespace {

std::string print(const metrics& all)
{
    exposition out;
    all.print(out);
    return std::move(out).take();
}

}

TEST_CASE("a counter is printed with its family's help and type, and its labels")
{
    metrics all;
    all.count("events_total", "Events", {{"context", "billing"}}).add(3);
    all.count("events_total", "Events", {{"context", "shipping"}}).add();

    REQUIRE(print(all) == "# HELP events_total Events\n"
                          "# TYPE events_total counter\n"
                          "events_total{context=\"billing\"} 3\n"
                          "events_total{context=\"shipping\"} 1\n");
}

TEST_CASE("the same labels are the same series")
{
    metrics all;
    counter& first = all.count("events_total", "Events", {{"context", "billing"}});
    counter& second = all.count("events_total", "Events", {{"context", "billing"}});

    REQUIRE(&first == &second);
}

TEST_CASE("a histogram counts each value in every bucket that is wide enough")
{
    metrics all;
    histogram& took = all.measure("took_seconds", "Time");

    took.observe(1ms); // Not more than a bound is within it.
    took.observe(2ms);
    took.observe(1h);

    const std::string text = print(all);
    REQUIRE(text.find("took_seconds_bucket{le=\"0.0005\"} 0\n") != std::string::npos);
    REQUIRE(text.find("took_seconds_bucket{le=\"0.001\"} 1\n") != std::string::npos);
    REQUIRE(text.find("took_seconds_bucket{le=\"0.0025\"} 2\n") != std::string::npos);
    REQUIRE(text.find("took_seconds_bucket{le=\"300\"} 2\n") != std::string::npos);
    REQUIRE(text.find("took_seconds_bucket{le=\"+Inf\"} 3\n") != std::string::npos);
    REQUIRE(text.find("took_seconds_sum 3600.003\n") != std::string::npos);
    REQUIRE(text.find("took_seconds_count 3\n") != std::string::npos);
}

TEST_CASE("whatever a label says, it stays one line and one value")
{
    exposition out;
    out.family("odd", exposition::type::gauge, "two\nlines \\ \"quoted\"");
    out.sample({{"text", "a\"b\\c\nd"}}, 1.5);

    REQUIRE(std::move(out).take() == "# HELP odd two\\nlines \\\\ \"quoted\"\n"
                                     "# TYPE odd gauge\n"
                                     "odd{text=\"a\\\"b\\\\c\\nd\"} 1.5\n");
}

TEST_CASE("threads count into one series without losing any", "[threads]")
{
    metrics all;
    const auto work = [&all] {
        counter& mine = all.count("events_total", "Events");
        histogram& took = all.measure("took_seconds", "Time");
        for (int i = 0; i < 10'000; ++i) {
            mine.add();
            took.observe(1ms);
        }
    };

    std::thread first(work);
    std::thread second(work);
    std::string seen;
    for (int i = 0; i < 100; ++i)
        seen = print(all);
    first.join();
    second.join();

    REQUIRE(all.count("events_total", "Events").value() == 20'000);
    REQUIRE(all.measure("took_seconds", "Time").count() == 20'000);
}

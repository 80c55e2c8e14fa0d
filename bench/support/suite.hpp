#pragma once

#include "stopwatch.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

// Runs once with about this many messages and returns what a stopwatch took. Builds and tears down
// everything it needs, so that no case inherits the threads or the memory of another.
using case_function = std::function<sample(std::uint64_t messages)>;

struct bench_case
{
    std::string workload;
    std::string system;
    std::uint64_t messages; // enough for a repetition of 0.3 to 1 s
    case_function run;
    std::string note; // what a reader must know to compare this row fairly
};

// What rates are printed in.
struct unit
{
    std::string name = "M msg/s";
    double per_second = 1e6; // messages that make one of it
};

// The cases of one benchmark program; rows and bars appear in the order of registration.
class suite
{
public:
    explicit suite(std::string name, unit rates = {})
        : name_(std::move(name)),
          rates_(std::move(rates))
    {}

    void add(bench_case added) { cases_.push_back(std::move(added)); }

    // A line about the surroundings that the figures hold for; asked for after the last case.
    void describe(std::function<std::string()> surroundings)
    {
        surroundings_ = std::move(surroundings);
    }

    const std::string& name() const { return name_; }
    const unit& rates() const { return rates_; }
    std::string surroundings() const { return surroundings_ ? surroundings_() : ""; }
    const std::vector<bench_case>& cases() const { return cases_; }
    std::vector<std::string> workloads() const;

private:
    std::string name_;
    unit rates_;
    std::function<std::string()> surroundings_;
    std::vector<bench_case> cases_;
};

}

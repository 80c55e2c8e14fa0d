#pragma once

#include "suite.hpp"

#include <cstddef>
#include <string>

namespace bench {

// What is running now, on stderr: one live line on a terminal, a line per finished run elsewhere.
class progress
{
public:
    progress(int repeat, std::size_t cases, unit rates);
    ~progress();

    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    void begin(int round, const bench_case& measured); // round 0 is the warm-up
    void end(const sample& taken);

private:
    int repeat_;
    std::size_t total_;
    std::size_t done_ = 0;
    unit rates_;
    bool live_;
    std::string line_;
};

}

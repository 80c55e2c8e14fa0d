#pragma once

#include <cuebox/event/timestamp.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cuebox::cli {

// Columns that line up on a terminal; the last one is as wide as it likes.
class table
{
public:
    explicit table(std::vector<std::string> head);

    void add(std::vector<std::string> row);
    void print() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// 2026-11-16 03:44:05Z; a dash when there is none.
std::string print_time(std::optional<event::timestamp> time);

}

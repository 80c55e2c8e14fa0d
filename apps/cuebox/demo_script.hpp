#pragma once

#include "demo_account.hpp"

#include <cuebox/actors/context.hpp>

#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace cuebox::cli {

// How much there is of everything.
inline constexpr std::size_t demo_calm_events = 200;
inline constexpr std::array<std::size_t, 4> demo_waves{500, 1'000, 1'500, 3'000};
inline constexpr std::size_t demo_wave_events =
    std::accumulate(demo_waves.begin(), demo_waves.end(), std::size_t{0});
inline constexpr std::size_t demo_fails_each = 41; // Odd: events of both kinds fail.
inline constexpr std::size_t demo_deaf_events = 500;
inline constexpr std::size_t demo_events =
    demo_calm_events + demo_wave_events + demo_deaf_events + 1;

// What the screen lists; the first one is over when the context is made.
std::vector<std::string> demo_acts();

// Who is on stage, as long as the context runs.
struct demo_cast
{
    pg::connection& database;
    cuebox::context& context;
    demo_shop& shop;
    demo_figures& figures;
    demo_screen& screen;
    demo_account& account;
    std::int64_t generation = 0;
};

// Everything from the first event to the audit. The caller awaits it.
pg::awaitable<void> perform(demo_cast& cast);

// Keeps the screen up to date until it is cancelled.
pg::awaitable<void> keep_drawing(demo_cast& cast);

}

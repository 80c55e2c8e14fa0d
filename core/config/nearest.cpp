#include <cuebox/config/nearest.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace cuebox::config {

namespace {

// The distance costs the product of the lengths, and nobody mistypes a name this long.
constexpr std::size_t typo_max = 64;

char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    // Row i holds the distances from the first i letters of a to every prefix of b. A swap looks
    // two rows back, so three rows are alive at a time.
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;

    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, above);
        std::swap(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                                 lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped)
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row.back();
}

std::optional<std::string_view> nearest_name(std::string_view typo,
                                             std::span<const std::string_view> valid)
{
    if (typo.size() > typo_max)
        return std::nullopt;

    std::optional<std::string_view> nearest;
    std::size_t limit = std::max<std::size_t>(typo.size() / 3, 1);
    for (const auto name : valid) {
        const auto distance = edit_distance(typo, name);
        // A one-letter name is one edit away from any other: that is no resemblance.
        if (distance > limit || distance >= std::max(typo.size(), name.size()))
            continue;
        if (nearest && distance == limit)
            continue;
        nearest = name;
        limit = distance;
    }
    return nearest;
}

}

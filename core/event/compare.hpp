#pragma once

#include <cuebox/event/contract.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::event {

enum class impact
{
    additive,
    breaking
};

// One difference: "/items/*/price: type changed from number to string".
struct change
{
    event::impact impact = impact::breaking;
    std::string text;

    bool operator==(const change&) const = default;
};

// What has changed between two contracts of the same event and version, by path. A change is
// additive only if both hold: every reader of the old contract reads what the new one writes, and
// every reader of the new one reads what was written under the old, because rows wait and are
// replayed. That leaves one kind of change, a new field that may be absent; docs/contracts.md has
// the table. Throws a contract_error when a text is no contract.
std::vector<change> compare_contracts(std::string_view before, std::string_view after);

// How a contract stands to its snapshot.
enum class standing
{
    unknown, // There is no snapshot yet.
    same,
    additive,
    breaking
};

struct review
{
    event::standing standing = standing::unknown;
    std::vector<change> changes;
};

// Throws a contract_error when the snapshot is no contract, or that of another event or version.
review review_contract(const contract& contract, const std::optional<std::string>& snapshot);

}

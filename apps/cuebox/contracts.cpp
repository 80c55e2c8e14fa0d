#include "contracts.hpp"

#include <cuebox/cli/files.hpp>
#include <cuebox/event/compare.hpp>
#include <cuebox/event/contract.hpp>
#include <cuebox/event/encode.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>

namespace cuebox::cli {

// What is printed with --json.
struct contract_line
{
    std::string event_type;
    int event_version = 1;
    event::standing standing = event::standing::unknown;
    bool written = false;
    std::vector<event::change> changes;
};

struct contracts_report
{
    std::vector<contract_line> contracts;
};

}

template <>
struct cuebox::event::enum_names<cuebox::event::standing>
{
    static constexpr std::pair<std::string_view, standing> values[] = {
        {"new", standing::unknown},
        {"same", standing::same},
        {"additive", standing::additive},
        {"breaking", standing::breaking},
    };
};

template <>
struct cuebox::event::enum_names<cuebox::event::impact>
{
    static constexpr std::pair<std::string_view, impact> values[] = {
        {"additive", impact::additive},
        {"breaking", impact::breaking},
    };
};

namespace cuebox::cli {

namespace {

namespace fs = std::filesystem;
using event::standing;

struct contracts_options
{
    std::string dir;
    std::string from = "-";
    bool force = false;
    bool json = false;
};

struct reviewed
{
    event::contract contract;
    event::review review;
    bool written = false;
};

std::vector<event::contract> read_contracts(const std::string& from)
{
    const auto text = read_file(from);
    if (!text)
        throw failure{"no file " + from + ": write it with event::print_contracts"};
    auto contracts = event::parse_contracts(*text);
    if (contracts.empty())
        throw failure{"no contracts to read: pipe in what event::print_contracts prints, "
                      "or name a file with --from"};
    for (auto each = contracts.begin(); each != contracts.end(); ++each)
        if (std::any_of(contracts.begin(), each, [each](const event::contract& earlier) {
                return earlier.file_name() == each->file_name();
            }))
            throw failure{each->title() + " is there twice: print each contract once"};
    return contracts;
}

std::vector<reviewed> review_all(const contracts_options& options)
{
    std::vector<reviewed> all;
    for (auto& contract : read_contracts(options.from)) {
        auto review = event::review_contract(
            contract, read_file(fs::path{options.dir} / contract.file_name()));
        all.push_back({std::move(contract), std::move(review), false});
    }
    return all;
}

bool is_breaking(const reviewed& each)
{
    return each.review.standing == standing::breaking;
}

std::string_view name_of(standing standing)
{
    for (const auto& [name, value] : event::enum_names<event::standing>::values)
        if (value == standing)
            return name;
    return {};
}

void print_json(const std::vector<reviewed>& all)
{
    contracts_report report;
    for (const auto& each : all)
        report.contracts.push_back({each.contract.event_type, each.contract.event_version,
                                    each.review.standing, each.written, each.review.changes});
    std::string json;
    event::encode_into(json, report, {.bytes = std::numeric_limits<std::size_t>::max()});
    std::cout << json << '\n';
}

void print(const std::vector<reviewed>& all, bool json)
{
    if (json)
        return print_json(all);
    for (const auto& each : all) {
        std::cout << each.contract.title() << ": " << name_of(each.review.standing)
                  << (each.written ? ", written" : "") << '\n';
        for (const auto& change : each.review.changes)
            std::cout << (change.impact == event::impact::breaking ? "  breaking  "
                                                                   : "  additive  ")
                      << change.text << '\n';
    }
}

[[noreturn]] void refuse_breaking(const std::vector<reviewed>& all, const std::string& advice)
{
    const auto count = std::ranges::count_if(all, is_breaking);
    throw failure{std::to_string(count) + (count == 1 ? " contract breaks" : " contracts break") +
                  (count == 1 ? " its snapshot" : " their snapshots") +
                  ": raise event_version for the new shape, or " + advice};
}

// Looks at everything before it writes anything, so that a refusal leaves the folder as it was.
int snapshot(const contracts_options& options)
{
    auto all = review_all(options);
    if (!options.force && std::ranges::any_of(all, is_breaking)) {
        print(all, options.json);
        refuse_breaking(all, "overwrite it with --force if nobody has seen the old one");
    }
    fs::create_directories(options.dir);
    for (auto& each : all) {
        if (each.review.standing == standing::same)
            continue;
        write_file(fs::path{options.dir} / each.contract.file_name(),
                   event::pretty(each.contract.schema));
        each.written = true;
    }
    print(all, options.json);
    return done;
}

int check(const contracts_options& options)
{
    if (!fs::is_directory(options.dir))
        throw failure{"no folder " + options.dir + ": make it with `cuebox contracts snapshot`"};
    const auto all = review_all(options);
    print(all, options.json);
    if (std::ranges::any_of(all, is_breaking))
        refuse_breaking(all, "take the change back");
    return done;
}

}

void add_contracts(CLI::App& app, action& chosen)
{
    auto options = std::make_shared<contracts_options>();
    auto* contracts = app.add_subcommand("contracts", "What programs promise about their events");
    contracts->require_subcommand(1);
    contracts->footer("Contracts are what event::print_contracts prints:\n"
                      "  my_service --contracts | cuebox contracts check --dir contracts");

    const auto add = [&](const char* name, const char* text, int (*run)(const contracts_options&)) {
        auto* command = contracts->add_subcommand(name, text);
        command->add_option("--dir", options->dir, "Folder of the snapshots")->required();
        command->add_option("--from", options->from, "File to read contracts from, - is stdin");
        command->add_flag("--json", options->json, "Print as JSON");
        command->callback(
            [options, &chosen, run] { chosen = [options, run] { return run(*options); }; });
        return command;
    };
    add("check", "Fail if a contract breaks its snapshot", check);
    add("snapshot", "Write the snapshots, unless one would break", snapshot)
        ->add_flag("--force", options->force, "Overwrite a snapshot with a breaking change too");
}

}

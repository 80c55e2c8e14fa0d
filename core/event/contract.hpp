#pragma once

#include <cuebox/event/schema.hpp>

#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::event {

// A text that is no contract, with what to do about it.
class contract_error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// What a program promises about one version of one event: its schema, and whose it is.
struct contract
{
    std::string event_type;
    int event_version = 1;
    std::string schema;

    // "order.placed v1", for people.
    std::string title() const;
    // "order.placed.v1.json", the file its snapshot is kept in.
    std::string file_name() const;
};

// Reads one contract, or one per line; empty lines are passed over.
contract parse_contract(std::string_view json);
std::vector<contract> parse_contracts(std::string_view lines);

// One contract per line, for `cuebox contracts` to read:
//
//     event::print_contracts<order_placed, order_cancelled>(std::cout);
template <typed_payload... Payloads>
void print_contracts(std::ostream& out)
{
    ((out << json_schema<Payloads>() << '\n'), ...);
}

// JSON over many lines, so that a snapshot's history reads well. The order of keys stays.
std::string pretty(std::string_view json);

}

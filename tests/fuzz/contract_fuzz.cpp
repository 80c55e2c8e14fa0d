#include "target.hpp"

#include <cuebox/event/compare.hpp>

// The input is compared with itself in another layout, and with a contract of everything there is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace cuebox;
    constexpr std::string_view known =
        R"({"event_type":"a","event_version":1,"type":"object","properties":{)"
        R"("e":{"type":"string","enum":["x"]},"i":{"type":"integer","minimum":0,"maximum":9},)"
        R"("l":{"type":"array","items":{"anyOf":[{"type":"number"},{"type":"null"}]}},)"
        R"("m":{"type":"object","additionalProperties":{"$ref":"#"}},)"
        R"("v":{"oneOf":[{"type":"object","properties":{"type":{"const":"t"}},)"
        R"("required":["type"]}]},)"
        R"("u":{"type":"string","format":"uuid"}},"required":["e","i"]})";
    try {
        const auto contract = event::parse_contract(fuzz::as_text(data, size));
        fuzz::require(
            event::compare_contracts(contract.schema, event::pretty(contract.schema)).empty(),
            "a contract is the same in another layout");
        const auto there = event::compare_contracts(known, contract.schema);
        const auto back = event::compare_contracts(contract.schema, known);
        fuzz::require(there.empty() == back.empty(), "what differs, differs both ways");
    }
    catch (const event::contract_error&) {
    }
    return 0;
}

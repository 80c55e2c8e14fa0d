#include <cuebox/event/compare.hpp>
#include <cuebox/event/contract.hpp>
#include <cuebox/event/path.hpp>

#include <tao/json/from_string.hpp>
#include <tao/json/to_string.hpp>
#include <tao/json/value.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace cuebox::event {

namespace {

using json = tao::json::value;

// A copy of what is there, or null: a schema that lacks a keyword compares like any other.
json at(const json& schema, const std::string& keyword)
{
    const auto* found = schema.is_object() ? schema.find(keyword) : nullptr;
    return found ? *found : json(tao::json::null);
}

bool has(const json& schema, const std::string& keyword)
{
    return schema.is_object() && schema.find(keyword) != nullptr;
}

std::string text_of(const json& value)
{
    return value.is_string_type() ? value.as<std::string>() : tao::json::to_string(value);
}

// What anyOf stands for here: a value, or null.
bool is_nullable(const json& schema)
{
    return at(schema, "anyOf").is_array();
}

json without_null(const json& schema)
{
    const auto either = at(schema, "anyOf");
    return either.is_array() && !either.get_array().empty() ? either.get_array()[0] : schema;
}

// In words. Two schemas of one name are of one kind, and differ in details at most.
std::string name_of(const json& schema)
{
    if (has(schema, "$ref"))
        return "the type at " + text_of(at(schema, "$ref"));
    if (has(schema, "oneOf"))
        return "variant";
    if (has(schema, "enum"))
        return "enum";
    if (has(schema, "additionalProperties"))
        return "map";
    if (has(schema, "format"))
        return text_of(at(schema, "format"));
    return has(schema, "type") ? text_of(at(schema, "type")) : "any JSON";
}

std::vector<std::string> names_in(const json& list)
{
    std::vector<std::string> names;
    if (list.is_array())
        for (const auto& each : list.get_array())
            names.push_back(text_of(each));
    return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::ranges::find(names, name) != names.end();
}

std::map<std::string, json> members_of(const json& object)
{
    std::map<std::string, json> members;
    if (object.is_object())
        for (const auto& [name, value] : object.get_object())
            members.emplace(name, value);
    return members;
}

std::map<std::string, json> alternatives_of(const json& variant)
{
    std::map<std::string, json> alternatives;
    const auto list = at(variant, "oneOf");
    if (list.is_array())
        for (const auto& each : list.get_array())
            alternatives.emplace(text_of(at(at(at(each, "properties"), "type"), "const")), each);
    return alternatives;
}

std::string member(std::string path, std::string_view name)
{
    append_token(path, name);
    return path;
}

std::string alternative(std::string path, std::string_view tag)
{
    return path.append("<").append(tag).append(">");
}

// JSON sets no limit to a number, and a contract is any JSON that Postgres could hold.
json schema_of(const contract& contract)
{
    try {
        return tao::json::from_string(contract.schema);
    }
    catch (const std::runtime_error&) {
        throw contract_error{contract.title() + ": a number in it is out of the range of a double: "
                                                "print it anew with event::print_contracts"};
    }
}

class comparison
{
public:
    void compare(const std::string& path, const json& before, const json& after)
    {
        if (is_nullable(before) != is_nullable(after))
            breaking(path, is_nullable(after) ? "may now be null" : "may no longer be null");
        compare_values(path, without_null(before), without_null(after));
    }

    std::vector<change> changes;

private:
    void compare_values(const std::string& path, const json& before, const json& after)
    {
        const auto was = name_of(before);
        const auto is = name_of(after);
        if (was != is)
            return breaking(path, "type changed from " + was + " to " + is);
        if (was == "integer")
            compare_details(path, "range", "minimum", "maximum", before, after);
        else if (was == "array")
            compare_arrays(path, before, after);
        else if (was == "map")
            compare(path + "/*", at(before, "additionalProperties"),
                    at(after, "additionalProperties"));
        else if (was == "enum")
            compare_enums(path, names_in(at(before, "enum")), names_in(at(after, "enum")));
        else if (was == "variant")
            compare_variants(path, alternatives_of(before), alternatives_of(after));
        else if (was == "object")
            compare_objects(path, before, after);
    }

    void compare_details(const std::string& path, const std::string& what, const std::string& low,
                         const std::string& high, const json& before, const json& after)
    {
        const auto both = [&](const json& schema) {
            return text_of(at(schema, low)) + " to " + text_of(at(schema, high));
        };
        if (both(before) != both(after))
            breaking(path, what + " changed from " + both(before) + ", to " + both(after));
    }

    void compare_arrays(const std::string& path, const json& before, const json& after)
    {
        compare_details(path, "length", "minItems", "maxItems", before, after);
        compare(path + "/*", at(before, "items"), at(after, "items"));
    }

    void compare_enums(const std::string& path, const std::vector<std::string>& before,
                       const std::vector<std::string>& after)
    {
        for (const auto& name : before)
            if (!contains(after, name))
                breaking(path, "value \"" + name + "\" removed, but stored events may have it");
        for (const auto& name : after)
            if (!contains(before, name))
                breaking(path, "value \"" + name + "\" added, which consumers refuse");
    }

    void compare_variants(const std::string& path, const std::map<std::string, json>& before,
                          const std::map<std::string, json>& after)
    {
        for (const auto& [tag, schema] : before) {
            if (const auto found = after.find(tag); found != after.end())
                compare_objects(alternative(path, tag), schema, found->second);
            else
                breaking(path, "alternative \"" + tag + "\" removed, but stored events may be it");
        }
        for (const auto& [tag, schema] : after)
            if (!before.contains(tag))
                breaking(path, "alternative \"" + tag + "\" added, which consumers refuse");
    }

    void compare_objects(const std::string& path, const json& before, const json& after)
    {
        const auto was_required = names_in(at(before, "required"));
        const auto is_required = names_in(at(after, "required"));
        const auto old_fields = members_of(at(before, "properties"));
        const auto new_fields = members_of(at(after, "properties"));

        for (const auto& [name, schema] : old_fields) {
            const auto place = member(path, name);
            const auto found = new_fields.find(name);
            if (found == new_fields.end()) {
                breaking(place, "field removed, which consumers may need");
                continue;
            }
            const bool was = contains(was_required, name);
            const bool is = contains(is_required, name);
            if (was && !is)
                breaking(place, "required field became optional, so consumers may miss it");
            if (!was && is)
                breaking(place, "optional field became required, but stored events may lack it");
            compare(place, schema, found->second);
        }
        for (const auto& [name, schema] : new_fields) {
            if (old_fields.contains(name))
                continue;
            if (contains(is_required, name))
                breaking(member(path, name), "required field added, which stored events lack");
            else
                changes.push_back(
                    {impact::additive, member(path, name) + ": optional field added"});
        }
    }

    void breaking(const std::string& path, const std::string& what)
    {
        changes.push_back({impact::breaking, (path.empty() ? "/" : path) + ": " + what});
    }
};

}

std::vector<change> compare_contracts(std::string_view before, std::string_view after)
{
    const auto old_one = schema_of(parse_contract(before));
    const auto new_one = schema_of(parse_contract(after));
    comparison both;
    both.compare("", old_one, new_one);
    return std::move(both.changes);
}

review review_contract(const contract& contract, const std::optional<std::string>& snapshot)
{
    if (!snapshot)
        return {};
    const auto kept = parse_contract(*snapshot);
    if (kept.title() != contract.title())
        throw contract_error{"the snapshot of " + contract.title() + " is one of " + kept.title() +
                             ": restore " + contract.file_name()};
    auto changes = compare_contracts(*snapshot, contract.schema);
    const bool breaks =
        std::ranges::find(changes, impact::breaking, &change::impact) != changes.end();
    using enum standing;
    const auto stands = changes.empty() ? same : breaks ? breaking : additive;
    return {stands, std::move(changes)};
}

}

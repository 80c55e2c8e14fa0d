#include "document.ipp"

#include <cuebox/config/error.hpp>
#include <cuebox/config/parse.hpp>

#include <tao/json/events/to_value.hpp>
#include <tao/json/jaxn/events/from_input.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cuebox::config {

namespace {

namespace pegtl = tao::json::pegtl;
using tao::json::events::to_value;

using input = pegtl::memory_input<pegtl::tracking_mode::lazy, pegtl::eol::lf_crlf, std::string>;

// Builds the value, and refuses what taoJSON lets through. It holds the input because only an
// exception thrown with a position tells the reader where to look.
struct builder : to_value
{
    explicit builder(const input& text) : reached{text.current()}, input_{text} {}

    using to_value::number;
    void number(double real)
    {
        if (!std::isfinite(real))
            refuse("NaN and Infinity are not accepted");
        to_value::number(real);
    }

    void binary(std::vector<std::byte>&&) { refuse("binary data is not accepted"); }

    void key(std::string_view name)
    {
        // taoJSON keeps the first of two and drops the other without a word.
        if (stack_.back().find(name) != nullptr)
            refuse("duplicate key \"" + std::string{name} + '"');
        to_value::key(name);
        reached = input_.current();
    }

    void element()
    {
        to_value::element();
        reached = input_.current();
    }

    void begin_array()
    {
        limit_nesting();
        to_value::begin_array();
    }

    void begin_object()
    {
        limit_nesting();
        to_value::begin_object();
    }

    // The end of the last key or element: on the way out of a throw taoJSON rewinds the input.
    const char* reached;

private:
    void limit_nesting() const
    {
        if (stack_.size() >= nesting_max)
            refuse("nested deeper than " + std::to_string(nesting_max) + " levels");
    }

    [[noreturn]] void refuse(const std::string& why) const
    {
        throw pegtl::parse_error{why, input_};
    }

    const input& input_;
};

}

node parse(std::string_view text, std::string_view source_name)
{
    input in{text, std::string{source_name}};
    builder built{in};
    try {
        tao::json::jaxn::events::from_input(built, in);
    }
    catch (const pegtl::parse_error& refused) {
        const auto& where = refused.positions().front();
        throw error{source_name, where.line, where.column, refused.message()};
    }
    catch (const std::runtime_error& refused) {
        // A number beyond the range of double: taoJSON throws this one without a position.
        const auto where = in.position(built.reached);
        throw error{source_name, where.line, where.column, refused.what()};
    }
    return node{std::make_shared<const node::document>(
        node::document{std::string{source_name}, std::move(built.value)})};
}

}

#include "cases.hpp"

#include <tao/json.hpp>
#include <tao/json/binding.hpp>
#include <tao/json/contrib/traits.hpp>

// taoJSON as its documentation shows it: bindings from the struct to a value and back.
template <>
struct tao::json::traits<bench::codec::address>
    : tao::json::binding::object<TAO_JSON_BIND_REQUIRED("name", &bench::codec::address::name),
                                 TAO_JSON_BIND_REQUIRED("street", &bench::codec::address::street),
                                 TAO_JSON_BIND_REQUIRED("city", &bench::codec::address::city),
                                 TAO_JSON_BIND_REQUIRED("country", &bench::codec::address::country),
                                 TAO_JSON_BIND_OPTIONAL("note", &bench::codec::address::note)>
{};

template <>
struct tao::json::traits<bench::codec::item>
    : tao::json::binding::object<TAO_JSON_BIND_REQUIRED("sku", &bench::codec::item::sku),
                                 TAO_JSON_BIND_REQUIRED("title", &bench::codec::item::title),
                                 TAO_JSON_BIND_REQUIRED("count", &bench::codec::item::count),
                                 TAO_JSON_BIND_REQUIRED("price", &bench::codec::item::price),
                                 TAO_JSON_BIND_REQUIRED("options", &bench::codec::item::options)>
{};

template <>
struct tao::json::traits<cuebox::event::uuid>
{
    template <template <typename...> class Traits>
    static void assign(tao::json::basic_value<Traits>& to, const cuebox::event::uuid& id)
    {
        to = cuebox::event::print_uuid(id);
    }

    template <template <typename...> class Traits>
    static void to(const tao::json::basic_value<Traits>& from, cuebox::event::uuid& id)
    {
        id = cuebox::event::parse_uuid(from.get_string()).value();
    }
};

template <>
struct tao::json::traits<cuebox::event::timestamp>
{
    template <template <typename...> class Traits>
    static void assign(tao::json::basic_value<Traits>& to, cuebox::event::timestamp time)
    {
        to = cuebox::event::print_timestamp(time).value();
    }

    template <template <typename...> class Traits>
    static void to(const tao::json::basic_value<Traits>& from, cuebox::event::timestamp& time)
    {
        time = cuebox::event::parse_timestamp(from.get_string()).value();
    }
};

template <>
struct tao::json::traits<bench::codec::order>
    : tao::json::binding::object<TAO_JSON_BIND_REQUIRED("order_id", &bench::codec::order::order_id),
                                 TAO_JSON_BIND_REQUIRED("number", &bench::codec::order::number),
                                 TAO_JSON_BIND_REQUIRED("placed_at",
                                                        &bench::codec::order::placed_at),
                                 TAO_JSON_BIND_REQUIRED("ship_to", &bench::codec::order::ship_to),
                                 TAO_JSON_BIND_REQUIRED("bill_to", &bench::codec::order::bill_to),
                                 TAO_JSON_BIND_REQUIRED("items", &bench::codec::order::items),
                                 TAO_JSON_BIND_REQUIRED("labels", &bench::codec::order::labels),
                                 TAO_JSON_BIND_REQUIRED("gift", &bench::codec::order::gift)>
{};

namespace bench::codec {
namespace {

std::string to_text(const order& payload)
{
    return tao::json::to_string(tao::json::value(payload));
}

order from_text(std::string_view text)
{
    return tao::json::from_string(text).as<order>();
}

sample encode(std::uint64_t messages)
{
    return time_encoding(messages, to_text);
}

sample decode(std::uint64_t messages)
{
    return time_decoding(messages, to_text(make_order()), from_text);
}

sample decode_jsonb(std::uint64_t messages)
{
    return time_decoding(messages, order_from_jsonb(), from_text);
}

}

void add_taojson_cases(suite& suite)
{
    using namespace systems;
    suite.add({workloads::encode, taojson, 80'000, encode, "struct to value to text, by bindings"});
    suite.add({workloads::decode, taojson, 50'000, decode, "text to value to struct, by bindings"});
    suite.add({workloads::decode_jsonb, taojson, 50'000, decode_jsonb, ""});
}

}

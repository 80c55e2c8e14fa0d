#include "payload.hpp"

namespace bench::codec {

order make_order()
{
    const address home{.name = "Ada Lovelace",
                       .street = "12 St James's Square",
                       .city = "London",
                       .country = "GB",
                       .note = "ring twice"};
    address office = home;
    office.street = "5 Dorset Street \"upstairs\"";
    office.note.reset();
    return {.order_id = *cuebox::event::parse_uuid("01938a5e-7c3b-7def-8123-456789abcdef"),
            .number = 9'007'199'254'740'993,
            .placed_at = *cuebox::event::parse_timestamp("2026-11-16T03:44:05.123456Z"),
            .ship_to = home,
            .bill_to = office,
            .items = {{"TEA-0001", "Earl Grey, loose leaf, 500 g", 2, 14.5, {"gift wrap"}},
                      {"CUP-0815", "Porcelain cup with saucer", 6, 12.25, {"blue", "gold rim"}},
                      {"POT-0042", "Teapot, cast iron, 1.2 l", 1, 64.99, {}},
                      {"SPO-0007", "Silver tea spoon", 6, 8.333333333333334, {"engraved", "AL"}}},
            .labels = {{"channel", "web"}, {"campaign", "autumn-2026"}, {"shop", "north-2"}},
            .gift = true};
}

std::string_view order_from_jsonb()
{
    return R"({"gift": true, "items": [{"sku": "TEA-0001", "count": 2, "price": 14.5, )"
           R"("title": "Earl Grey, loose leaf, 500 g", "options": ["gift wrap"]}, )"
           R"({"sku": "CUP-0815", "count": 6, "price": 12.25, )"
           R"("title": "Porcelain cup with saucer", "options": ["blue", "gold rim"]}, )"
           R"({"sku": "POT-0042", "count": 1, "price": 64.99, )"
           R"("title": "Teapot, cast iron, 1.2 l", "options": []}, )"
           R"({"sku": "SPO-0007", "count": 6, "price": 8.333333333333334, )"
           R"("title": "Silver tea spoon", "options": ["engraved", "AL"]}], )"
           R"("labels": {"shop": "north-2", "channel": "web", "campaign": "autumn-2026"}, )"
           R"("number": 9007199254740993, )"
           R"("bill_to": {"city": "London", "name": "Ada Lovelace", )"
           R"("street": "5 Dorset Street \"upstairs\"", "country": "GB"}, )"
           R"("ship_to": {"city": "London", "name": "Ada Lovelace", "note": "ring twice", )"
           R"("street": "12 St James's Square", "country": "GB"}, )"
           R"("order_id": "01938a5e-7c3b-7def-8123-456789abcdef", )"
           R"("placed_at": "2026-11-16T03:44:05.123456Z"})";
}

}

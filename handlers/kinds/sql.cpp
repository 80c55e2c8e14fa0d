#include "statement_check.hpp"

#include <cuebox/config/read.hpp>
#include <cuebox/handlers/kinds/kind.hpp>
#include <cuebox/pg/transaction.hpp>

// Text with its type: a parameter that the statement does not use has to have one.
namespace cuebox::handlers {
struct typed_text
{
    std::string_view text;
};
}
template <>
struct cuebox::pg::encoder<cuebox::handlers::typed_text>
{
    static constexpr oid type = type::text;
    static constexpr oid array = 1009;
    static void put(std::string& out, handlers::typed_text value) { out.append(value.text); }
};

namespace cuebox::handlers {

// The keys of a config's handler of this kind.
struct sql_params
{
    std::string statement;

    static constexpr std::string_view required[] = {"statement"};
    static constexpr auto& read_elsewhere = handler_keys;
};

namespace {

// $1, $2, … of every statement, for an event and for the check before there is one.
pg::params params_of(const event::envelope& envelope)
{
    return pg::params(std::in_place, envelope.event_id, typed_text{envelope.event_type},
                      pg::json{envelope.payload.text}, typed_text{envelope.idempotency_key},
                      envelope.domain_id, envelope.occurred_at, typed_text{envelope.source});
}

// A projection in one line: its statement runs in the delivery's transaction.
class sql_handler
{
public:
    sql_handler(std::string name, std::string statement)
        : text_(std::make_shared<const texts>(texts{std::move(name), std::move(statement)}))
    {}

    awaitable<void> operator()(delivery<raw_payload> event, pg::transaction& work) const
    {
        return run(text_, std::move(event), work);
    }

private:
    // Where the statement's views point to, as long as it may be used.
    struct texts
    {
        std::string name;
        std::string sql;
    };

    static awaitable<void> run(std::shared_ptr<const texts> text, delivery<raw_payload> event,
                               pg::transaction& work)
    {
        const pg::statement statement{.name = text->name, .sql = text->sql};
        // The handler outlives its delivery, and so does the text.
        work.send_along(statement, params_of(event.envelope()));
        co_return;
    }

    std::shared_ptr<const texts> text_;
};

}

handling::handler make_sql(kind_base base, const config::node& from)
{
    auto params = config::read<sql_params>(from);
    if (const std::string why = why_not_in_delivery(params.statement); !why.empty())
        from.refuse("statement", why);
    auto check = [name = base.name, sql = params.statement,
                  at = *from.find("statement")](pg::connection& on) {
        return check_statement(on, name, sql, params_of(event::envelope{}), at);
    };
    sql_handler run{base.name, std::move(params.statement)};
    auto made = make_handler<raw_payload>(std::move(base.name), std::move(base.event_types),
                                          std::move(run), std::move(base.options));
    made.check = std::move(check);
    return made;
}

}

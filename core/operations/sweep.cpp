#include <cuebox/event/encode.hpp>
#include <cuebox/operations/error.hpp>
#include <cuebox/operations/statements.hpp>
#include <cuebox/operations/sweep.hpp>

namespace cuebox::operations {

pg::awaitable<sweep_result> sweep(pg::connection& connection,
                                  std::optional<outbox::retention> rules, std::string actor)
{
    if (!rules)
        rules = co_await outbox::read_retention(connection);
    if (const std::string why = outbox::why_refused(*rules); !why.empty())
        throw error{"this retention is refused: " + why, "keep dedup records longer"};
    const outbox::swept done = co_await outbox::sweep(connection, rules);
    const sweep_result result{.ran = done.ran,
                              .tombstoned = done.tombstoned,
                              .deleted = done.deleted,
                              .outbox_active_seconds = rules->outbox_active.count(),
                              .outbox_grace_seconds = rules->outbox_grace.count(),
                              .handled_active_seconds = rules->handled_active.count(),
                              .handled_grace_seconds = rules->handled_grace.count()};
    if (result.ran) {
        const std::string told = event::encode(result);
        co_await connection.execute(record_sweep, actor, told);
    }
    co_return result;
}

}

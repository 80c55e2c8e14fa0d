// A worker of one's own: all that `cuebox worker` does, with handlers in C++. One writes an invoice
// in the event's transaction, the other is an actor that keeps the total of what was ordered.
//
//     own_worker --config own_worker.jaxn --check
//     own_worker --config own_worker.jaxn --database URL
#include <cuebox/cuebox.hpp>

#include <cstdio>

struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number{};
    std::int64_t cents{};
};

constexpr cuebox::pg::statement insert_invoice{.name = "insert invoice",
                                               .sql = "insert into invoices values ($1, $2)"};

cuebox::awaitable<void> send_invoice(cuebox::delivery<order_placed> order,
                                     cuebox::pg::transaction& work)
{
    co_await work.execute(insert_invoice, order->number, order->cents);
}

struct ledger
{
    using messages = cuebox::messages<cuebox::handle<order_placed>>;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        std::int64_t total = 0;
        while (auto message = co_await me.receive()) {
            auto& order = std::get<cuebox::request<cuebox::handle<order_placed>>>(*message);
            total += order->event->cents;
            std::printf("%ld cents so far\n", static_cast<long>(total));
            std::fflush(stdout);
            order.reply(cuebox::handled{});
        }
    }
};

int main(int argc, char** argv)
{
    return cuebox::worker::main(argc, argv, [](cuebox::worker::setup& it) {
        const auto ledger_at = it.tree().add<ledger>("ledger");
        it.handlers()
            .on<order_placed>("billing.send_invoice", &send_invoice)
            .add(cuebox::make_actor_handler<order_placed>("billing.ledger", it.loop(), ledger_at));
    });
}

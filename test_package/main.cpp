// Whether an installed Cuebox can be used: the umbrella header, the worker, a handler of each kind.
#include <cuebox/cuebox.hpp>

struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number{};
};

constexpr cuebox::pg::statement insert_invoice{.name = "insert invoice",
                                               .sql = "insert into invoices values ($1)"};

cuebox::awaitable<void> send_invoice(cuebox::delivery<order_placed> order,
                                     cuebox::pg::transaction& work)
{
    co_await work.execute(insert_invoice, order->number);
}

cuebox::awaitable<void> send_mail(cuebox::delivery<order_placed> order)
{
    order.log().info("mailed", {{"number", order->number}});
    co_return;
}

int main(int argc, char** argv)
{
    cuebox::registry handlers;
    handlers.on<order_placed>("billing.send_invoice", &send_invoice);
    handlers.on<order_placed>("billing.send_mail", &send_mail);
    return cuebox::worker::main(argc, argv, handlers, {.version = "1.0"});
}

#include "cases.hpp"
#include "order.hpp"

#include <cuebox/outbox/publisher.hpp>

// What a producer pays before the database sees anything.
namespace bench::publish {
namespace {

namespace outbox = cuebox::outbox;

const outbox::publisher& shop()
{
    static const outbox::publisher made{{.source = "shop", .generation = 1}};
    return made;
}

template <class Prepare>
sample run(std::uint64_t messages, Prepare prepare)
{
    std::uint64_t made = 0;
    stopwatch watch;
    watch.start();
    for (std::uint64_t i = 0; i < messages; ++i) {
        const outbox::outgoing event = prepare(i);
        made += event.envelope.payload.text.empty() ? 0 : 1;
    }
    watch.stop();
    return watch.take(messages, made);
}

sample from_struct(std::uint64_t messages)
{
    const auto order = make_order(0);
    return run(messages, [&](std::uint64_t) { return shop().prepare(order); });
}

sample from_text(std::uint64_t messages)
{
    const auto text = order_json();
    return run(messages, [&](std::uint64_t) {
        return shop().prepare_json(order_placed::event_type, 1, text);
    });
}

}

void add_prepare_cases(suite& suite)
{
    suite.add({prepare, systems::cuebox, 500'000, from_struct,
               "publisher.prepare of a struct: encode, id, key, checks; no database"});
    suite.add({prepare, "cuebox_json", 500'000, from_text,
               "publisher.prepare_json of the same as text, which is checked"});
}

}

#include "bare_claim.hpp"
#include "dialogue.hpp"
#include "event.hpp"
#include "session.hpp"
#include "workloads.hpp"

#include <cuebox/event/encode.hpp>

#include <poll.h>
#include <stdexcept>
#include <thread>

namespace bench::outbox {

namespace {

constexpr std::int64_t warm_up = 20;
constexpr std::chrono::milliseconds between{5};

void wait_for_notification(PGconn* on)
{
    for (;;) {
        if (PGnotify* heard = PQnotifies(on)) {
            PQfreemem(heard);
            return;
        }
        pollfd ready{PQsocket(on), POLLIN, 0};
        ::poll(&ready, 1, -1);
        if (PQconsumeInput(on) == 0)
            throw std::runtime_error(PQerrorMessage(on));
    }
}

}

void measure_bare_latency(const task& wanted)
{
    const auto generation = the_generation();
    const std::string channel = "outbox_gen_" + std::to_string(generation);
    bare::connection listener;
    listener.run("listen " + channel);
    bare::connection publisher;
    publisher.prepare("publish", R"(
insert into core.outbox (id, event_type, source, channel, generation, payload)
values (gen_random_uuid(), $1::text, 'bench', $2::text, $3::bigint, $4::text::jsonb))");
    bare::claims claims(generation, "bare");

    const auto measure = [&](std::int64_t number) {
        const bench_event event{.number = number};
        const std::string payload = cuebox::event::encode(event);
        const auto sent = now_ns();
        publisher.run_prepared("publish", {bare::text(bench_event::event_type), bare::text(channel),
                                           bare::int8(generation), bare::text(payload)});
        wait_for_notification(listener.get());
        claims.exchange(1);
        const auto took = now_ns() - sent;
        if (!claims.holding())
            throw std::runtime_error("notified of a row that cannot be claimed");
        claims.exchange(0);
        pause(between);
        return took;
    };
    for (std::int64_t i = 0; i < warm_up; ++i)
        measure(i);
    say_ready_and_wait();
    const auto began = steady::now();
    std::vector<std::int64_t> took;
    for (std::int64_t i = 0; i < wanted.events; ++i)
        took.push_back(measure(warm_up + i));
    say_done_and_wait({.events = wanted.events,
                       .seconds = seconds_since(began),
                       .latency_ms = percentiles_of(std::move(took))});
}

}

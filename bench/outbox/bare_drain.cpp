#include "bare_claim.hpp"
#include "dialogue.hpp"
#include "event.hpp"
#include "session.hpp"
#include "workloads.hpp"

#include <cuebox/event/uuid.hpp>
#include <cuebox/outbox/worker_statements.hpp>

#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

namespace bench::outbox {

namespace bare {

namespace {

// -infinity, as the server writes it.
constexpr std::int64_t always = std::numeric_limits<std::int64_t>::min();

std::string new_token()
{
    const auto id = cuebox::event::new_event_id();
    return {reinterpret_cast<const char*>(&id), sizeof id};
}

}

claims::claims(std::int64_t generation, std::string worker)
    : generation_(generation),
      worker_(std::move(worker)),
      from_(always)
{
    on_.prepare("claim", cuebox::outbox::claim_leased.sql);
    on_.prepare("record", cuebox::outbox::record_handled.sql);
    on_.prepare("settle", cuebox::outbox::settle_claim.sql);
}

std::vector<connection::step> claims::settle_steps() const
{
    const std::size_t rows = ids_.size();
    std::vector<connection::step> steps;
    steps.push_back(
        {"record",
         {array(text_type, std::vector<std::string>(rows, "bench.see")), array(text_type, keys_),
          array(uuid_type, event_ids_),
          array(text_type, std::vector<std::string>(rows, "standard")), boolean(true)}});
    steps.push_back({"settle", {{token_}, array(tid_type, places_), array(uuid_type, ids_)}});
    return steps;
}

connection::step claims::claim_step(int limit)
{
    return {"claim",
            {text(worker_),
             {token_},
             int8(generation_),
             text("bench"),
             array(text_type, {std::string(bench_event::event_type)}),
             nothing(),
             int4(limit),
             int8(from_),
             int8(always)}};
}

void claims::take(const PGresult* claimed)
{
    constexpr int id = 0;
    constexpr int event_id = 1;
    constexpr int key = 9;
    constexpr int created_at = 15;
    constexpr int place = 16;
    ids_.clear();
    event_ids_.clear();
    keys_.clear();
    places_.clear();
    for (int row = 0; row < PQntuples(claimed); ++row) {
        ids_.push_back(read_bytes(claimed, row, id));
        event_ids_.push_back(read_bytes(claimed, row, event_id));
        keys_.push_back(read_bytes(claimed, row, key));
        places_.push_back(read_bytes(claimed, row, place));
        from_ = std::max(from_, read_int8(claimed, row, created_at));
    }
}

std::int64_t claims::exchange(int limit)
{
    std::vector<connection::step> steps;
    if (holding())
        steps = settle_steps();
    const auto settled = static_cast<std::int64_t>(ids_.size());
    token_ = new_token();
    steps.push_back(claim_step(limit));
    const auto answers = on_.run_together(steps);
    constexpr std::size_t settle = 1; // It gives the rows that it could not settle.
    if (answers.size() > settle && PQntuples(answers[settle].get()) > 0)
        throw std::runtime_error("rows were not settled: somebody else has them");
    take(answers.back().get());
    return settled;
}

}

void drain_bare(const task& wanted)
{
    const auto generation = the_generation();
    const std::size_t lanes = wanted.lanes.value_or(2);
    const int limit = static_cast<int>(wanted.batch.value_or(1'000));
    std::vector<std::unique_ptr<bare::claims>> all;
    for (std::size_t i = 0; i < lanes; ++i)
        all.push_back(std::make_unique<bare::claims>(generation, "bare " + std::to_string(i)));
    say_ready_and_wait();

    std::atomic<std::int64_t> settled{0};
    const auto began = steady::now();
    std::vector<std::thread> threads;
    for (const auto& each : all)
        threads.emplace_back([&settled, &lane = *each, limit] {
            do
                settled += lane.exchange(limit);
            while (lane.holding());
        });
    for (std::thread& each : threads)
        each.join();
    say_done_and_wait({.events = settled, .seconds = seconds_since(began)});
}

}

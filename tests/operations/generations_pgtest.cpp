#include "operations/desk.hpp"

#include <cuebox/operations/event_detail.hpp>
#include <cuebox/operations/generations.hpp>
#include <cuebox/operations/recovery.hpp>
#include <cuebox/operations/sweep.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::operations;
using namespace cuebox::operations::test;
using namespace std::chrono_literals;

namespace {

std::vector<generation_info> list(const desk& desk)
{
    return desk.run([](pg::connection& link) { return list_generations(link); });
}

retired_generation retire(const desk& desk, std::int64_t generation)
{
    return desk.run(
        [generation](pg::connection& link) { return retire_generation(link, generation, "ada"); });
}

}

TEST_CASE("generations tell what they still have to do, and who is there", "[operations]")
{
    const desk desk;
    desk.query("select t.publish(1), t.publish(2), t.dead(3); "
               "select core.worker_register('w', 'billing', 1, 'h', 1, false); "
               "select core.subscribe('mail', 7, '{order.paid}')");

    const auto all = list(desk);

    REQUIRE(all.size() == 3);
    CHECK(all[0].generation == 1);
    CHECK(all[0].status == "active");
    CHECK(all[0].label == "first");
    CHECK(all[0].pending == 2);
    CHECK(all[0].in_flight == 0);
    CHECK(all[0].dead_letters == 1);
    CHECK(all[0].workers == 1);
    CHECK(all[0].contexts == std::vector<std::string>{"billing"});
    CHECK(all[1].contexts == std::vector<std::string>{"billing"});
    CHECK(all[1].pending == 0);
    CHECK(all[2].generation == 7);
    CHECK(all[2].status == "unallocated");
}

TEST_CASE("a generation drains, and is retired when nothing is left", "[operations]")
{
    const desk desk;
    desk.query("select t.publish(n) from generate_series(1, 1500) n");

    const auto draining = retire(desk, 1);
    std::vector<std::int64_t> steps;
    const auto moved = desk.run([&](pg::connection& link) {
        return drain(link, 1, 2, "ada",
                     [&](const drain_progress& now) { steps.push_back(now.moved); });
    });
    const auto gone = retire(desk, 1);

    CHECK(draining.status == "draining");
    CHECK(draining.pending == 1500);
    CHECK(moved.moved == 1500);
    CHECK(moved.pending == 0);
    CHECK(steps == std::vector<std::int64_t>{1000, 1500});
    CHECK(gone.status == "retired");
    CHECK(desk.query("select distinct generation, channel, status from core.outbox") ==
          "2|outbox_gen_2|pending");
    CHECK(desk.query("select action, actor, detail->>'status', detail->>'rows' "
                     "from core.operator_actions where actor = 'ada' order by id") ==
          "retire_generation|ada|draining|\ndrain|ada||1000\ndrain|ada||500\n"
          "retire_generation|ada|retired|");
}

TEST_CASE("a new generation is on record with who asked for it", "[operations]")
{
    const desk desk;

    const auto made =
        desk.run([](pg::connection& link) { return allocate_generation(link, "v3", "ada"); });

    CHECK(made.generation == 3);
    CHECK(desk.query("select actor, detail->>'generation', detail->>'label' "
                     "from core.operator_actions order by id desc limit 1") == "ada|3|v3");
}

TEST_CASE("a drain that would strand rows, and a generation nobody knows, are refused",
          "[operations]")
{
    const desk desk;
    const auto refused = [&](std::int64_t from, std::int64_t to) {
        return desk.refusal([&](pg::connection& link) { return drain(link, from, to, "ada"); });
    };

    CHECK(refused(1, 1) == "cannot drain generation 1 to itself");
    CHECK(refused(1, 9).starts_with("generation 9 was never allocated and nobody listens at it"));
    CHECK(desk.refusal([](pg::connection& link) { return retire_generation(link, 9, "ada"); }) ==
          "no generation 9; List them with: cuebox generation list");
}

TEST_CASE("a sweep is on record, and refuses what would let a replay run twice", "[operations]")
{
    const desk desk;
    desk.query("select t.publish(1); update core.outbox set status = 'delivered', "
               "delivered_at = now() - interval '46 days', created_at = now() - interval '50 days',"
               " available_at = now() - interval '50 days'");
    const auto sweep_by = [&](std::optional<outbox::retention> rules) {
        return [rules](pg::connection& link) { return sweep(link, rules, "ada"); };
    };

    const auto did = desk.run(sweep_by({}));

    CHECK(did.ran);
    CHECK(did.tombstoned == 1);
    CHECK(did.deleted == 0);
    CHECK(desk.query("select actor, detail->>'tombstoned' from core.operator_actions "
                     "where action = 'sweep'") == "ada|1");
    outbox::retention broken;
    broken.handled_active = broken.outbox_active + broken.outbox_grace;
    CHECK(desk.refusal(sweep_by(broken)).starts_with("this retention is refused: handled_active"));
}

TEST_CASE("an operator's role is enough for all an operator does, and retention's for a sweep",
          "[operations]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 3) n; select t.publish(4)");
    const auto as = [&](const std::string& role, auto work) {
        pg::connect_options login{.conninfo = desk.conninfo() + " options='-c role=" + role + "'"};
        return desk.run_as(login, work);
    };

    CHECK(as("cuebox_operator", [](pg::connection& link) {
              return list_dlq_events(link, {}, {});
          }).events.size() == 3);
    CHECK(as("cuebox_operator", [](pg::connection& link) {
              return show_event(link, row(1));
          })->status == "failed");
    CHECK(as("cuebox_operator", [](pg::connection& link) {
              return replay_dlq_events(link, dlq_filter{}, {.bulk = {.limit = 2}});
          }).done == 2);
    CHECK(as("cuebox_operator", [](pg::connection& link) {
              return discard_dlq_events(link, dlq_filter{}, {});
          }).done == 1);
    CHECK(as("cuebox_operator", [](pg::connection& link) {
              return allocate_generation(link, "v3", "ada");
          }).generation == 3);
    CHECK(as("cuebox_operator", [](pg::connection& link) {
              return drain(link, 1, 3, "ada");
          }).moved == 3);
    CHECK(as("cuebox_operator", [](pg::connection& link) {
              return retire_generation(link, 1, "ada");
          }).status == "retired");
    CHECK(as("cuebox_operator", [](pg::connection& link) {
              return list_generations(link);
          }).size() == 3);
    CHECK(as("cuebox_retention", [](pg::connection& link) { return sweep(link, {}, "cron"); }).ran);
}

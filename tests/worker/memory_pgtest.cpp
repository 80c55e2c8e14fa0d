#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;

// A sanitizer keeps what is freed for a while: its figures are not the worker's.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CUEBOX_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CUEBOX_SANITIZED
#endif
#endif

TEST_CASE("a worker that drains a backlog of 200,000 rows stays within 20 MB of an idle one",
          "[worker]")
{
#ifdef CUEBOX_SANITIZED
    SKIP("sanitized");
#endif
    workshop shop;
    shop.database.query("create table effects (number bigint)");
    const auto worker =
        shop.start({.handlers = R"({"name": "test.append"}, {"name": "test.insert"})"});
    REQUIRE(worker->listens());
    const std::size_t idle = worker->resident_bytes();
    std::size_t most = idle;

    // Half of them leased, half transactional.
    shop.database.query(
        "with made as (select core.uuid_v7() as id, i from generate_series(1, 200000) i) "
        "insert into core.outbox (id, event_type, source, generation, channel, payload, "
        "idempotency_key) select id, case when i % 2 = 0 then 'test.append' else 'test.insert' end,"
        " 'test', 7, 'outbox_gen_7', jsonb_build_object('number', i), id::text from made");
    // Until so many are done that memory has had its chance to grow.
    REQUIRE(eventually(
        [&] {
            most = std::max(most, worker->resident_bytes());
            return count(shop.journal(), "append") >= 30'000 &&
                   shop.database.query("select count(*) >= 30000 from effects") == "t";
        },
        120s));

    INFO("idle " << idle / 1024 << " KiB, at most " << most / 1024 << " KiB");
    CHECK(most - idle < 20 * 1024 * 1024);
    CHECK(worker->stop() == 0);
}

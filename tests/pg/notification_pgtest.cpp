#include "scene.hpp"

#include <cuebox/pg/transaction.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;

namespace {

constexpr statement one{.name = "one", .sql = "select 1"};

std::string heard(stage& scene, connection& link)
{
    const auto got = scene.run(link.next_notification(30s));
    return got ? got->channel + "/" + got->payload : "nothing";
}

}

TEST_CASE("a notification wakes who waits for it", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    scene.run(link.listen("a \"b\""));

    auto waiting = scene.start(link.next_notification(30s));
    scene.settle();
    REQUIRE_FALSE(waiting.done());
    scene.see("notify \"a \"\"b\"\"\", 'x'");
    const auto got = scene.finish(waiting);

    REQUIRE(got);
    REQUIRE(got->channel == "a \"b\"");
    REQUIRE(got->payload == "x");
    REQUIRE(got->backend != link.backend());
}

TEST_CASE("notifications are heard while statements run, and kept in order", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    scene.run(link.listen("a"));

    scene.see("notify a, '1'");
    scene.run(link.execute(one));
    scene.see("notify a, '2'");
    scene.run(link.execute(one));

    REQUIRE(heard(scene, link) == "a/1");
    REQUIRE(heard(scene, link) == "a/2");
}

TEST_CASE("a notification of one's own is heard at once, however it was sent", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    scene.run(link.listen("a"));

    scene.run(link.run_script({.name = "script", .sql = "notify a, 'script'"}));
    REQUIRE(heard(scene, link) == "a/script");

    scene.run(link.execute({.name = "statement", .sql = "notify a, 'statement'"}));
    REQUIRE(heard(scene, link) == "a/statement");

    transaction work{link};
    scene.run(work.execute({.name = "notify", .sql = "select pg_notify('a', $1)"}, "commit"));
    scene.run(work.commit());
    REQUIRE(heard(scene, link) == "a/commit");
    REQUIRE(scene.run(link.next_notification(0s)) == std::nullopt);
}

TEST_CASE("when nothing comes in time there is nothing, and the connection goes on", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    scene.run(link.listen("a"));

    REQUIRE_FALSE(scene.run(link.next_notification(20ms)));
    REQUIRE(scene.run(link.query_one<int>(one)) == 1);
    scene.see("notify a");
    REQUIRE(heard(scene, link) == "a/");
}

TEST_CASE("a channel that is not listened to is not heard", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    scene.run(link.listen("a"));
    scene.run(link.listen("b"));
    scene.run(link.unlisten("a"));

    scene.see("notify a; notify b");

    REQUIRE(heard(scene, link) == "b/");
    REQUIRE(refusal_of([&] { scene.run(link.listen("")); }).code == errc::usage);
}

TEST_CASE("a cancelled wait leaves the connection as it was", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    scene.run(link.listen("a"));
    auto waiting = scene.start(link.next_notification(30s));
    scene.settle();

    waiting.cancel();

    REQUIRE(cancelled([&] { scene.finish(waiting); }));
    REQUIRE_FALSE(link.broken());
    scene.see("notify a, 'still here'");
    REQUIRE(heard(scene, link) == "a/still here");
}

TEST_CASE("a wait without end is possible and ends with a notification", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    scene.run(link.listen("a"));
    auto waiting = scene.start(link.next_notification(std::chrono::nanoseconds::max()));
    scene.settle();

    scene.see("notify a");

    REQUIRE(scene.finish(waiting));
}

TEST_CASE("past the limit the oldest notifications are dropped", "[pg]")
{
    database_scene scene;
    auto options = scene.options();
    options.notifications_max = 3;
    connection link = scene.run(connect(options));
    scene.run(link.listen("a"));

    scene.see("select pg_notify('a', n::text) from generate_series(1, 100) n");
    scene.run(link.execute(one));

    REQUIRE(heard(scene, link) == "a/98");
    REQUIRE(heard(scene, link) == "a/99");
    REQUIRE(heard(scene, link) == "a/100");
    REQUIRE_FALSE(scene.run(link.next_notification(0s)));
}

TEST_CASE("while someone waits for a notification the connection is busy", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    auto waiting = scene.start(link.next_notification(30s));
    scene.settle();

    REQUIRE(refusal_of([&] { scene.run(link.execute(one)); }).what ==
            "one: the connection is busy: it does one thing at a time");
    REQUIRE_FALSE(waiting.done());
    waiting.cancel();
    REQUIRE(cancelled([&] { scene.finish(waiting); }));
}

TEST_CASE("closing the connection under one who waits ends the wait as lost", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    auto waiting = scene.start(link.next_notification(30s));
    scene.settle();

    link.close();

    const auto refused = refusal_of([&] { scene.finish(waiting); });
    REQUIRE(refused.code == errc::lost);
    REQUIRE(refused.what == "notification: the connection is closed: it was closed");
}

TEST_CASE("when the server ends the connection, who waits learns of it", "[pg]")
{
    database_scene scene;
    connection link = scene.open();
    auto waiting = scene.start(link.next_notification(30s));
    scene.settle();

    scene.see("select pg_terminate_backend(" + std::to_string(link.backend()) + ")");

    const auto refused = refusal_of([&] { scene.finish(waiting); });
    REQUIRE(refused.code == errc::lost);
    REQUIRE(refused.says("terminating connection due to administrator command"));
    REQUIRE(link.broken());
}

#include "drill.hpp"

using namespace cuebox;
using namespace cuebox::test;

TEST_CASE("children start one after the other, each once the one before is up")
{
    drill it(strategy::one_for_one);

    REQUIRE(it.next() == "start 0");
    REQUIRE(it.next() == "");
    REQUIRE(it.starts(0) == "start 1");
    REQUIRE(it.starts(1) == "start 2");
    REQUIRE_FALSE(it.subject.all_up());
    REQUIRE(it.starts(2) == "");
    REQUIRE(it.subject.all_up());
}

TEST_CASE("children stop in reverse, one at a time, and then the supervisor finishes")
{
    drill it(strategy::one_for_one);
    it.bring_up();

    it.subject.stop();

    REQUIRE(it.next() == "stop 2");
    REQUIRE(it.next() == "");
    it.stops(2);
    REQUIRE(it.next() == "stop 1");
    it.stops(1);
    REQUIRE(it.next() == "stop 0");
    it.stops(0);
    REQUIRE(it.next() == "finish");
    REQUIRE(it.next() == "");
}

TEST_CASE("one for one restarts the failed child alone")
{
    drill it(strategy::one_for_one);
    it.bring_up();

    it.fails(1);

    REQUIRE(it.next() == "wait 1s");
    it.now += 1s;
    REQUIRE(it.next() == "start 1");
    REQUIRE(it.starts(1) == "");
}

TEST_CASE("one for all takes all down in reverse and starts them in order")
{
    drill it(strategy::one_for_all);
    it.bring_up();

    it.fails(1);

    REQUIRE(it.next() == "stop 2");
    it.stops(2);
    REQUIRE(it.next() == "stop 0");
    it.stops(0);
    REQUIRE(it.next() == "wait 1s");
    it.now += 1s;
    REQUIRE(it.next() == "start 0");
    REQUIRE(it.starts(0) == "start 1");
    REQUIRE(it.starts(1) == "start 2");
}

TEST_CASE("rest for one takes along those that started after the failed child")
{
    drill it(strategy::rest_for_one);
    it.bring_up();

    it.fails(1);

    REQUIRE(it.next() == "stop 2");
    it.stops(2);
    it.now += 1s;
    REQUIRE(it.next() == "start 1");
    REQUIRE(it.starts(1) == "start 2");
}

TEST_CASE("which ends are followed by a restart")
{
    struct row
    {
        restart kind;
        exit_kind how;
        bool again;
    };
    const row table[] = {
        {restart::permanent, exit_kind::finished, true},
        {restart::permanent, exit_kind::failed, true},
        {restart::transient, exit_kind::finished, false},
        {restart::transient, exit_kind::failed, true},
        {restart::temporary, exit_kind::finished, false},
        {restart::temporary, exit_kind::failed, false},
    };

    for (const row& each : table) {
        drill it(strategy::one_for_one, 1);
        const std::size_t child = it.subject.add(each.kind);
        it.bring_up();

        const auto verdict = it.subject.ended(child, each.how, it.now, 0);

        REQUIRE(verdict.restarts == each.again);
        REQUIRE(it.next() == (each.again ? "wait 1s" : "close 1"));
    }
}

TEST_CASE("a stop during backoff wins over the restart")
{
    drill it(strategy::one_for_one, 2);
    it.bring_up();
    it.fails(0);
    REQUIRE(it.next() == "wait 1s");

    it.subject.stop();
    it.now += 5s;

    REQUIRE(it.next() == "stop 1");
    it.stops(1);
    REQUIRE(it.next() == "finish");
}

TEST_CASE("a stop wins over a start in progress, and the late start is refused")
{
    drill it(strategy::one_for_one, 2);
    REQUIRE(it.next() == "start 0");

    it.subject.stop();

    REQUIRE(it.next() == "stop 0");
    REQUIRE_FALSE(it.subject.started(0));
    it.stops(0);
    REQUIRE(it.next() == "finish");
}

TEST_CASE("one restart too many stops the others and escalates")
{
    drill it(strategy::one_for_one, 2, 1);
    it.bring_up();
    REQUIRE(it.fails(0).restarts);
    it.now += 1s;
    REQUIRE(it.next() == "start 0");
    (void)it.starts(0);

    const auto verdict = it.fails(0);

    REQUIRE(verdict.escalates);
    REQUIRE_FALSE(verdict.restarts);
    REQUIRE(it.next() == "stop 1");
    REQUIRE_FALSE(it.fails(1).restarts);
    REQUIRE(it.next() == "escalate");
}

TEST_CASE("the wait grows from failure to failure, has a cap and resets after calm")
{
    drill it(strategy::one_for_one, 1, intensity::unlimited);
    it.bring_up();
    const duration expected[] = {1s, 2s, 4s, 4s};

    for (const duration each : expected) {
        const auto verdict = it.fails(0);
        REQUIRE(verdict.delay == each);
        it.now += each;
        REQUIRE(it.next() == "start 0");
        (void)it.starts(0);
    }
    it.now += 30s;

    REQUIRE(it.fails(0).delay == 1s);
}

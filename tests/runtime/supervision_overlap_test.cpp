#include "drill.hpp"

using namespace cuebox;
using namespace cuebox::test;

TEST_CASE("a stuck child is passed over, but the supervisor finishes only once it has ended")
{
    drill it(strategy::one_for_one);
    it.bring_up();
    it.subject.stop();
    REQUIRE(it.next() == "stop 2");

    it.subject.stuck(2);

    REQUIRE(it.next() == "stop 1");
    it.stops(1);
    REQUIRE(it.next() == "stop 0");
    it.stops(0);
    REQUIRE(it.next() == "");
    it.stops(2);
    REQUIRE(it.next() == "finish");
}

TEST_CASE("nobody starts while a stuck child of the same restart still runs")
{
    drill it(strategy::one_for_all, 2);
    it.bring_up();
    it.fails(0);
    REQUIRE(it.next() == "stop 1");

    it.subject.stuck(1);
    it.now += 10s;

    REQUIRE(it.next() == "");
    it.stops(1);
    REQUIRE(it.next() == "start 0");
    REQUIRE(it.starts(0) == "start 1");
}

TEST_CASE("a child that was stuck in its start and then starts after all is up")
{
    drill it(strategy::one_for_one, 2);
    REQUIRE(it.next() == "start 0");
    it.subject.stuck(0);
    REQUIRE(it.next() == "");

    REQUIRE(it.starts(0) == "start 1");

    (void)it.starts(1);
    it.subject.stop();
    REQUIRE(it.next() == "stop 1");
    it.stops(1);
    REQUIRE(it.next() == "stop 0");
    it.stops(0);
    REQUIRE(it.next() == "finish");
}

TEST_CASE("a child that has never been up holds back those after it")
{
    drill it(strategy::one_for_one);
    REQUIRE(it.next() == "start 0");
    REQUIRE(it.starts(0) == "start 1");

    it.fails(1);

    REQUIRE(it.next() == "wait 1s");
    it.now += 1s;
    REQUIRE(it.next() == "start 1");
    REQUIRE(it.starts(1) == "start 2");
}

TEST_CASE("a child that was up does not hold back those after it when it fails")
{
    drill it(strategy::one_for_one);
    (void)it.next();
    REQUIRE(it.starts(0) == "start 1");

    it.fails(0);

    REQUIRE(it.next() == "wait 1s");
    REQUIRE(it.starts(1) == "start 2, wait 1s");
}

TEST_CASE("a failure further up, while the rest goes down, widens the restart")
{
    drill it(strategy::rest_for_one);
    it.bring_up();
    it.fails(1);
    REQUIRE(it.next() == "stop 2");

    it.fails(0);

    REQUIRE(it.next() == "");
    it.stops(2);
    REQUIRE(it.next() == "wait 1s");
    it.now += 1s;
    REQUIRE(it.next() == "start 0");
    REQUIRE(it.starts(0) == "start 1");
    REQUIRE(it.starts(1) == "start 2");
}

TEST_CASE("a failure further up, while the rest waits to start, widens the restart")
{
    drill it(strategy::rest_for_one);
    it.bring_up();
    it.fails(2);
    REQUIRE(it.next() == "wait 1s");

    it.fails(0);

    REQUIRE(it.next() == "stop 1");
    it.stops(1);
    it.now += 1s;
    REQUIRE(it.next() == "start 0");
    REQUIRE(it.starts(0) == "start 1");
    REQUIRE(it.starts(1) == "start 2");
}

TEST_CASE("a child that fails while it goes down for another is restarted once with it")
{
    drill it(strategy::one_for_all, 2, 1);
    it.bring_up();
    it.fails(0);
    REQUIRE(it.next() == "stop 1");

    const auto verdict = it.fails(1);

    REQUIRE(verdict.restarts);
    REQUIRE_FALSE(verdict.escalates);
    REQUIRE(verdict.delay == 1s);
    it.now += 1s;
    REQUIRE(it.next() == "start 0");
}

TEST_CASE("two failures at different times under one for one are restarted each in its time")
{
    drill it(strategy::one_for_one);
    it.bring_up();
    it.fails(2);
    it.now += 500ms;

    it.fails(0);

    it.now += 500ms;
    REQUIRE(it.next().starts_with("start 2"));
    it.now += 500ms;
    REQUIRE(it.next() == "start 0");
}

TEST_CASE("once all temporary children are done the supervisor finishes")
{
    drill it(strategy::one_for_one, 0);
    it.subject.add(restart::temporary);
    it.subject.add(restart::temporary);
    it.bring_up();

    it.finishes(0);
    REQUIRE(it.next() == "close 0");
    it.fails(1);

    REQUIRE(it.next() == "close 1, finish");
}

TEST_CASE("a supervisor without children has nothing to do until it is stopped")
{
    drill it(strategy::one_for_one, 0);

    REQUIRE(it.next() == "");
    REQUIRE(it.subject.all_up());
    it.subject.stop();
    REQUIRE(it.next() == "finish");
}

TEST_CASE("after a reset all start from the beginning and no failure is remembered")
{
    drill it(strategy::one_for_one, 1, 1);
    it.bring_up();
    it.fails(0);
    it.now += 1s;
    (void)it.next();
    it.fails(0);
    REQUIRE(it.next() == "escalate");

    it.subject.reset();

    REQUIRE(it.next() == "start 0");
    REQUIRE(it.starts(0) == "");
    REQUIRE(it.fails(0).delay == 1s);
}

TEST_CASE("a temporary child goes down with the others and is not started again")
{
    drill it(strategy::one_for_all, 1);
    it.subject.add(restart::temporary);
    it.bring_up();

    it.fails(0);

    REQUIRE(it.next() == "stop 1");
    it.stops(1);
    REQUIRE(it.next() == "close 1, wait 1s");
    it.now += 1s;
    REQUIRE(it.next() == "start 0");
}

TEST_CASE("a failure further up does not shorten the wait of those it takes along")
{
    drill it(strategy::rest_for_one, 2);
    it.bring_up();
    it.fails(1);
    (void)it.next();
    it.now += 1s;
    (void)it.next();
    it.fails(1); // the second in a row: it waits for two seconds

    it.fails(0);

    REQUIRE(it.next() == "wait 1s");
    it.now += 1s;
    REQUIRE(it.next() == "start 0, wait 1s");
}

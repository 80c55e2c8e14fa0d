#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/wait.h>
#include <unistd.h>

using namespace cuebox;
using namespace cuebox::test;

namespace {

awaitable<void> pass(gate& through, lines& log, std::string name)
{
    try {
        co_await through.wait_whatever_happens();
    }
    catch (const std::exception&) {
        log.push_back(name + " cancelled");
        throw;
    }
    log.push_back(name + " passed");
}

awaitable<void> wait_at(gate& closed, lines& log, std::string name)
{
    try {
        co_await closed.wait();
    }
    catch (const std::exception&) {
        log.push_back(name + " cancelled");
        throw;
    }
}

awaitable<void> fail_with(std::string why)
{
    throw std::runtime_error(why);
    co_return;
}

awaitable<void> join_inner(scope& inner, lines& log)
{
    try {
        co_await inner.join();
        log.push_back("joined");
    }
    catch (const boost::system::system_error&) {
        log.push_back("join cancelled, " + std::to_string(inner.alive()) + " alive");
        throw;
    }
}

awaitable<void> join_and_ask(scope& inner, lines& log)
{
    try {
        co_await inner.join();
    }
    catch (const boost::system::system_error&) {
        log.push_back("join cancelled");
    }
    const auto told = co_await asio::this_coro::cancellation_state;
    if (told.cancelled() != asio::cancellation_type::none)
        log.push_back("and told so");
}

std::string failure_of(stage& stage, scope& work)
{
    try {
        stage.run(work.join());
    }
    catch (const std::exception& error) {
        return error.what();
    }
    return "none";
}

}

TEST_CASE("a join waits until all coroutines of the scope have ended")
{
    stage stage;
    gate opened(stage);
    lines log;
    scope work{stage.loop().executor()};
    work.spawn(pass(opened, log, "a"));
    work.spawn(pass(opened, log, "b"));
    scope joining{stage.loop().executor()};
    joining.spawn(join_inner(work, log));
    stage.run_until_idle();
    REQUIRE(work.alive() == 2);

    opened.open();
    stage.run(joining.join());

    REQUIRE(log == lines{"a passed", "b passed", "joined"});
}

TEST_CASE("an empty scope is joined at once")
{
    stage stage;
    scope work{stage.loop().executor()};

    REQUIRE(failure_of(stage, work) == "none");
}

TEST_CASE("a join throws the first failure, once")
{
    stage stage;
    scope work{stage.loop().executor()};
    work.spawn(fail_with("first"));
    work.spawn(fail_with("second"));

    REQUIRE(failure_of(stage, work) == "first");
    REQUIRE(failure_of(stage, work) == "none");
}

TEST_CASE("cancelled coroutines are not failures")
{
    stage stage;
    gate closed(stage);
    lines log;
    scope work{stage.loop().executor()};
    work.spawn(wait_at(closed, log, "a"));
    work.spawn(wait_at(closed, log, "b"));
    stage.run_until_idle();

    work.cancel();

    REQUIRE(failure_of(stage, work) == "none");
    REQUIRE(log == lines{"a cancelled", "b cancelled"});
}

TEST_CASE("a scope can be used again after it was joined")
{
    stage stage;
    gate opened(stage);
    opened.open();
    lines log;
    scope work{stage.loop().executor()};
    work.spawn(pass(opened, log, "a"));
    stage.run(work.join());

    work.spawn(pass(opened, log, "b"));
    stage.run(work.join());

    REQUIRE(log == lines{"a passed", "b passed"});
}

TEST_CASE("a cancelled join cancels the coroutines and still waits for them")
{
    stage stage;
    gate stubborn(stage), closed(stage);
    lines log;
    scope inner{stage.loop().executor()};
    inner.spawn(pass(stubborn, log, "stubborn"));
    inner.spawn(wait_at(closed, log, "polite"));
    scope outer{stage.loop().executor()};
    outer.spawn(join_inner(inner, log));
    stage.run_until_idle();

    outer.cancel();
    stage.run_until_idle();
    REQUIRE(log == lines{"polite cancelled"});
    REQUIRE(outer.alive() == 1);
    stubborn.open();
    stage.run(outer.join());

    REQUIRE(log == lines{"polite cancelled", "stubborn passed", "join cancelled, 0 alive"});
}

TEST_CASE("whoever waited in a cancelled join can still ask whether it was cancelled")
{
    stage stage;
    gate closed(stage);
    lines log;
    scope inner(stage.loop().executor());
    scope outer(stage.loop().executor());
    inner.spawn(wait_at(closed, log, "a"));
    outer.spawn(join_and_ask(inner, log));
    stage.run_until_idle();

    outer.cancel();
    stage.run_until_idle();

    REQUIRE(log == lines{"a cancelled", "join cancelled", "and told so"});
}

TEST_CASE("dropping a scope with living coroutines ends the process and says why")
{
    int out[2];
    REQUIRE(pipe(out) == 0);

    const pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        stage stage;
        gate closed(stage);
        lines log;
        {
            scope work{stage.loop().executor()};
            work.spawn(wait_at(closed, log, "a"));
            stage.run_until_idle();
        }
        _exit(0);
    }
    close(out[1]);
    std::string said(4096, '\0');
    std::size_t length = 0;
    for (ssize_t got; (got = read(out[0], said.data() + length, said.size() - length)) > 0;)
        length += static_cast<std::size_t>(got);
    close(out[0]);
    int status = 0;
    waitpid(child, &status, 0);

    REQUIRE(WIFSIGNALED(status));
    REQUIRE(WTERMSIG(status) == SIGABRT);
    REQUIRE(said.find("a scope was dropped while its coroutines are alive") != said.npos);
}

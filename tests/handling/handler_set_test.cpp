#include <cuebox/handling/handler_set.hpp>
#include <cuebox/handling/verdict.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

using namespace cuebox;
using namespace cuebox::handling;
using namespace std::chrono_literals;

namespace {

awaitable<void> nothing(arrival)
{
    co_return;
}
awaitable<void> nothing_within(arrival, pg::transaction&)
{
    co_return;
}

handler leased(std::string name, std::vector<std::string> types)
{
    return {.name = std::move(name), .event_types = std::move(types), .call = leased_call(nothing)};
}
handler transactional(std::string name, std::vector<std::string> types)
{
    return {.name = std::move(name),
            .event_types = std::move(types),
            .call = transactional_call(nothing_within)};
}

std::string refusal(std::vector<handler> handlers)
{
    try {
        const handler_set made(std::move(handlers));
        return "taken";
    }
    catch (const handler_error& error) {
        return error.what();
    }
}

handler_run run_of(int max_retries, std::optional<policy::failure> failure, bool cancelled = false)
{
    auto by = std::make_shared<handler>(leased("a.b", {"x"}));
    by->retry.max_retries = max_retries;
    return {.by = by, .result = {.failure = std::move(failure), .cancelled = cancelled}};
}

}

TEST_CASE("a handler's name has a scope, and is used once", "[handling]")
{
    CHECK(refusal({leased("mail", {"x"})}) ==
          "handler \"mail\": the name has no scope; call it \"<context>.mail\"");
    CHECK(
        refusal({leased("shop.", {"x"})}).starts_with("handler \"shop.\": the name has no scope"));
    CHECK(refusal({leased("shop.a", {"x"}), transactional("shop.a", {"y"})}) ==
          "handler \"shop.a\": there are two of that name; dedup needs one each");
    CHECK(refusal({leased("shop.a", {})}) == "handler \"shop.a\": it listens for no event type");
    CHECK(refusal({handler{.name = "shop.a", .event_types = {"x"}}}) ==
          "handler \"shop.a\": there is nothing to call");
}

TEST_CASE("an event type is transactional when all of its handlers are", "[handling]")
{
    const handler_set set({transactional("a.one", {"x", "y"}), leased("a.two", {"y", "z"})});

    CHECK(set.transactional_types() == std::vector<std::string>{"x"});
    CHECK(set.leased_types() == std::vector<std::string>{"y", "z"});
    CHECK(set.for_type("y").size() == 2);
    CHECK(set.for_type("y").front()->name == "a.one");
    CHECK(set.for_type("w").empty());
}

TEST_CASE("a row is delivered when all of its handlers have succeeded", "[handling]")
{
    const handler_run fine[] = {run_of(5, {}), run_of(5, {})};
    CHECK(judge(fine, 0, 0.5) == policy::verdict(policy::delivered{}));
}

TEST_CASE("a row whose handler was told to stop goes back, whatever the others did", "[handling]")
{
    const handler_run runs[] = {run_of(0, policy::failure{true, "no"}), run_of(5, {}, true)};
    CHECK(judge(runs, 0, 0.5) == policy::verdict(policy::released{}));
}

TEST_CASE("of several failures a final one decides, else the longest wait", "[handling]")
{
    auto slow = run_of(5, policy::failure{false, "slow"});
    const handler_run retried[] = {run_of(5, policy::failure{false, "one"}), slow};
    const handler_run final[] = {run_of(5, policy::failure{true, "bad"}), slow};

    const auto again = judge(retried, 1, 0.5);
    REQUIRE(std::holds_alternative<policy::retry_in>(again));
    CHECK(std::get<policy::retry_in>(again).delay == 1s);
    CHECK(judge(final, 1, 0.5) == policy::verdict(policy::dead_letter{"bad", "a.b"}));
    const handler_run used_up[] = {run_of(1, policy::failure{false, "x"})};
    CHECK(judge(used_up, 1, 0.5) == policy::verdict(policy::dead_letter{"x", "a.b"}));
}

TEST_CASE("a retry is charged to the handler that waits longest", "[handling]")
{
    auto slow = run_of(5, policy::failure{false, "slow"});
    auto patient = std::make_shared<handler>(leased("a.patient", {"x"}));
    patient->retry.base = 60s;
    slow.by = patient;
    const handler_run runs[] = {run_of(5, policy::failure{false, "quick"}), slow};

    const auto again = judge(runs, 0, 0.5);

    REQUIRE(std::holds_alternative<policy::retry_in>(again));
    CHECK(std::get<policy::retry_in>(again).handler == "a.patient");
    CHECK(std::get<policy::retry_in>(again).reason == "slow");
}

TEST_CASE("a handler whose policy cannot be followed is refused by name", "[handling]")
{
    handler shrinking = leased("shop.mail", {"a"});
    shrinking.retry.multiplier = 0;
    handler impatient = leased("shop.mail", {"a"});
    impatient.timeout = -1s;

    CHECK_THROWS_WITH(handler_set({shrinking}),
                      "handler \"shop.mail\": retry.multiplier: must be at least 1: waits grow "
                      "from retry to retry");
    CHECK_THROWS_WITH(handler_set({impatient}), "handler \"shop.mail\": the timeout is negative; "
                                                "zero is as long as it likes");
}

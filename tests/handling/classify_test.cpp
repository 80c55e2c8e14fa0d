#include <cuebox/event/error.hpp>
#include <cuebox/handling/run_handler.hpp>
#include <cuebox/pg/error.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::handling;

namespace shop {

struct no_such_address : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

// Named by what it is about, not by its type.
struct out_of : std::runtime_error, classified
{
    explicit out_of(std::string_view what) : std::runtime_error("7 are missing"), what_(what) {}
    std::string_view error_class() const noexcept override { return what_; }

    std::string_view what_;
};

struct refused_for_good : terminal_error
{
    using terminal_error::terminal_error;
};

}

namespace {

template <class E>
std::string judged(const E& thrown)
{
    const policy::failure why = classify(std::make_exception_ptr(thrown), handler{});
    return (why.terminal ? "dead " : "retry ") + why.reason;
}

}

TEST_CASE("an error is kept with its class in front: its type, or what the handler calls it",
          "[handling]")
{
    CHECK(judged(shop::no_such_address("Nowhere 14")) == "retry shop.no_such_address: Nowhere 14");
    CHECK(judged(std::runtime_error("a: b")) == "retry runtime_error: a: b");
    CHECK(judged(terminal_error("no")) == "dead terminal_error: no");
    CHECK(judged(terminal_error("no_stock", "of 7")) == "dead no_stock: of 7");
    CHECK(judged(transient_error("shop::busy", "with 7")) == "retry shop.busy: with 7");
    CHECK(judged(shop::refused_for_good("no")) == "dead shop.refused_for_good: no");
    CHECK(judged(shop::out_of("stock")) == "retry stock: 7 are missing");
    CHECK(judged(shop::out_of("")) == "retry shop.out_of: 7 are missing");
    CHECK(judged(42) == "retry int: the handler threw something that is no exception");
    CHECK(judged(event::payload_error("/number", "expected integer, got string")) ==
          "dead payload_error: /number: expected integer, got string");
}

TEST_CASE(
    "an error of the database has its SQLSTATE as its class, or what became of the connection",
    "[handling]")
{
    CHECK(judged(pg::error("billing.totals", {.sqlstate = "22P02",
                                              .message = "invalid input syntax for type bigint",
                                              .hint = "try a number"})) ==
          "dead SQLSTATE 22P02: invalid input syntax for type bigint, in billing.totals; "
          "hint: try a number");
    CHECK(judged(pg::error("", {.sqlstate = "40001", .message = "could not serialize"})) ==
          "retry SQLSTATE 40001: could not serialize");
    CHECK(judged(pg::error(pg::errc::lost, "insert order", "the connection was lost")) ==
          "retry connection lost: insert order: the connection was lost");
    CHECK(judged(pg::error(pg::errc::timed_out, "insert order", "no answer within 30 s")) ==
          "retry statement timed out: insert order: no answer within 30 s");
}

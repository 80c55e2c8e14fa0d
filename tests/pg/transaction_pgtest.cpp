#include "scene.hpp"

#include <cuebox/pg/copy_in.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

namespace {

constexpr statement insert{.name = "insert", .sql = "insert into t values ($1)"};
constexpr statement fail{.name = "fail", .sql = "select 1 / 0"};
constexpr statement one{.name = "one", .sql = "select 1"};

class shop : public scene
{
public:
    shop() { see("create table t(a int primary key deferrable initially deferred)"); }

    std::string rows() const { return see("select string_agg(a::text, ',' order by a) from t"); }

    connection link = open();
};

}

TEST_CASE("what was done in a transaction is there after its commit, not before", "[pg]")
{
    shop shop;
    transaction work{shop.link};

    shop.run(work.execute(insert, 1));
    REQUIRE(shop.link.in_transaction());
    REQUIRE(shop.rows().empty());
    shop.run(work.commit());

    REQUIRE(shop.rows() == "1");
    REQUIRE_FALSE(work.open());
    REQUIRE_FALSE(shop.link.in_transaction());
}

TEST_CASE("what was rolled back is gone, and the connection goes on", "[pg]")
{
    shop shop;
    transaction work{shop.link};

    shop.run(work.execute(insert, 1));
    shop.run(work.rollback());

    REQUIRE(shop.rows().empty());
    REQUIRE(shop.run(shop.link.query_one<int>(one)) == 1);
}

TEST_CASE("a transaction that did nothing costs nothing", "[pg]")
{
    shop shop;
    {
        transaction dropped{shop.link};
        transaction committed{shop.link};
        transaction undone{shop.link};
        shop.run(committed.commit());
        shop.run(undone.rollback());
    }

    REQUIRE_FALSE(shop.link.broken());
    REQUIRE(shop.link.prepared_statements() == 0);
}

TEST_CASE("after a failed statement the commit throws and says that it was rolled back", "[pg]")
{
    shop shop;
    int calls = 0;
    transaction work{shop.link};
    work.after_commit([&calls] { ++calls; });
    shop.run(work.execute(insert, 1));
    REQUIRE(refusal_of([&] { shop.run(work.execute(fail)); }).sqlstate == "22012");

    const auto refused = refusal_of([&] { shop.run(work.commit()); });

    REQUIRE(refused.code == errc::server);
    REQUIRE(refused.says("commit: rolled back, because an earlier statement"));
    REQUIRE(shop.rows().empty());
    REQUIRE(calls == 0);
    REQUIRE_FALSE(work.open());
    REQUIRE(shop.run(shop.link.query_one<int>(one)) == 1);
}

TEST_CASE("a commit the server refuses is thrown as what it is", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    shop.run(work.execute(insert, 1));
    shop.run(work.execute(insert, 1)); // Checked when it commits.

    const auto refused = refusal_of([&] { shop.run(work.commit()); });

    REQUIRE(refused.sqlstate == "23505");
    REQUIRE(shop.rows().empty());
    REQUIRE_FALSE(work.open());
    REQUIRE_FALSE(shop.link.in_transaction());
}

TEST_CASE("a transaction dropped open is rolled back with its connection", "[pg]")
{
    shop shop;
    {
        transaction work{shop.link};
        shop.run(work.execute(insert, 1));
    }

    REQUIRE(shop.link.broken());
    REQUIRE(eventually([&shop] { return shop.backends() == 0; }));
    REQUIRE(shop.rows().empty());
    const auto refused = refusal_of([&shop] { shop.run(shop.link.execute(one)); });
    REQUIRE(refused.code == errc::lost);
    REQUIRE(refused.what == "one: the connection is closed: a transaction was dropped open on it");
    REQUIRE(refusal_of([&shop] { transaction{shop.link}; }).code == errc::lost);
}

TEST_CASE("the last statements and the commit share a round trip, begin included", "[pg]")
{
    shop shop;
    int calls = 0;
    transaction work{shop.link};
    work.after_commit([&calls] { ++calls; });
    pipeline last;
    last.add(insert, 1);
    last.add(insert, 2);

    const auto outcomes = shop.run(work.commit_with(std::move(last)));

    REQUIRE(outcomes.size() == 2);
    REQUIRE(outcomes[1].get().affected() == 1);
    REQUIRE(shop.rows() == "1,2");
    REQUIRE(calls == 1);
}

TEST_CASE("when one of the last statements fails nothing is committed and its error says", "[pg]")
{
    shop shop;
    int calls = 0;
    transaction work{shop.link};
    work.after_commit([&calls] { ++calls; });
    shop.run(work.execute(insert, 1));
    pipeline last;
    last.add(insert, 2);
    last.end_segment();
    last.add(fail);
    last.end_segment();
    last.add(insert, 3);

    const auto refused = refusal_of([&] { shop.run(work.commit_with(std::move(last))); });

    REQUIRE(refused.says("fail: division by zero"));
    REQUIRE_FALSE(work.open());
    REQUIRE(shop.rows().empty());
    REQUIRE(calls == 0);
    REQUIRE_FALSE(shop.link.in_transaction());
    REQUIRE_FALSE(shop.link.broken());
}

TEST_CASE("calls wait for the commit, in order, and only for that", "[pg]")
{
    shop shop;
    std::string order;
    transaction committed{shop.link};
    committed.after_commit([&order] { order += "a"; });
    committed.after_commit([&order] { order += "b"; });
    shop.run(committed.execute(insert, 1));
    REQUIRE(order.empty());

    shop.run(committed.commit());
    REQUIRE(order == "ab");

    transaction undone{shop.link};
    undone.after_commit([&order] { order += "c"; });
    shop.run(undone.execute(insert, 2));
    shop.run(undone.rollback());
    REQUIRE(order == "ab");
    REQUIRE(refusal_of([&] { undone.after_commit([] {}); }).code == errc::usage);
}

TEST_CASE("a transaction that is over takes nothing more", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    shop.run(work.execute(insert, 1));
    shop.run(work.commit());

    CHECK(refusal_of([&] { shop.run(work.execute(insert, 2)); }).what ==
          "insert: the transaction is over: start another one");
    CHECK(refusal_of([&] { shop.run(work.commit()); }).code == errc::usage);
    CHECK(refusal_of([&] { shop.run(work.rollback()); }).code == errc::usage);
    CHECK(refusal_of([&] { shop.run(work.savepoint()); }).code == errc::usage);
    CHECK(shop.rows() == "1");
}

TEST_CASE("a second transaction on a connection is refused: that is what savepoints are for",
          "[pg]")
{
    shop shop;
    transaction work{shop.link};
    shop.run(work.execute(insert, 1));

    REQUIRE(refusal_of([&] { transaction{shop.link}; }).what ==
            "begin: the connection is inside a transaction already: use a savepoint");
    shop.run(work.commit());
    REQUIRE(shop.rows() == "1");
}

TEST_CASE("two transactions made before either began do not become one", "[pg]")
{
    shop shop;
    const statement copy{.name = "copy", .sql = "copy t from stdin (format binary)"};
    transaction first{shop.link};
    transaction second{shop.link};
    second.add_to_commit(insert, params(std::in_place, 3));
    shop.run(first.execute(insert, 1));

    const auto refused = refusal_of([&] { shop.run(second.execute(insert, 2)); });
    CHECK(refused.what ==
          "insert: the connection is inside a transaction already: use a savepoint");
    CHECK(refused.code == errc::usage);
    CHECK(refusal_of([&] { shop.run(copy_in::start(second, copy)); }).code == errc::usage);
    CHECK(refusal_of([&] { shop.run(second.commit()); }).code == errc::usage);
    CHECK(refusal_of([&] {
              shop.run(second.run_script({.name = "script", .sql = "insert into t values (4)"}));
          }).code == errc::usage);
    shop.run(first.rollback());

    shop.run(second.execute(insert, 2)); // Now it is its turn.
    shop.run(second.commit());
    CHECK(shop.rows() == "2,3");
}

TEST_CASE("what is sent along goes with what is asked next, before it", "[pg]")
{
    shop shop;
    transaction work{shop.link};

    work.send_along(insert, 1);
    work.send_along(insert, 2);
    CHECK_FALSE(shop.link.in_transaction());
    const statement count{.name = "count", .sql = "select count(*) from t"};
    CHECK(shop.run(work.query_one<std::int64_t>(count)) == 2);
    work.send_along(insert, 3);
    shop.run(work.flush());
    work.send_along(insert, 4);
    shop.run(work.commit());

    CHECK(shop.rows() == "1,2,3,4");
}

TEST_CASE("what is sent along goes with the commit at the latest, and is no answer to it", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    work.add_to_commit(insert, params(std::in_place, 3));
    work.send_along(insert, 1);
    pipeline last;
    last.add(insert, 2);
    last.add({.name = "seen", .sql = "select count(*) from t"});

    const auto answers = shop.run(work.commit_with(std::move(last)));

    REQUIRE(answers.size() == 2);
    CHECK(answers[1].get().only<std::int64_t>() == 2);
    CHECK(shop.rows() == "1,2,3");
}

TEST_CASE("what fails that was sent along fails what it went with", "[pg]")
{
    shop shop;
    transaction asked{shop.link};
    asked.send_along(fail);
    const auto refused = refusal_of([&] { shop.run(asked.execute(insert, 1)); });
    CHECK(refused.what.starts_with("fail: "));
    CHECK(refused.sqlstate == "22012");
    CHECK(asked.failed());
    shop.run(asked.rollback());

    transaction committed{shop.link};
    committed.send_along(insert, 2);
    committed.send_along(fail);
    CHECK(refusal_of([&] { shop.run(committed.commit()); }).sqlstate == "22012");
    CHECK_FALSE(committed.open());
    CHECK_FALSE(shop.link.in_transaction());
    CHECK(shop.rows().empty());
}

TEST_CASE("what was to go along is forgotten with the part it belongs to", "[pg]")
{
    shop shop;
    transaction dropped{shop.link};
    dropped.send_along(insert, 1);
    shop.run(dropped.rollback());

    transaction work{shop.link};
    work.send_along(insert, 2);
    auto part = shop.run(work.savepoint());
    work.send_along(insert, 3);
    shop.run(part.rollback());
    work.send_along(insert, 4);
    shop.run(work.commit());

    CHECK(shop.rows() == "2,4");
}

TEST_CASE("what is to go along waits for its turn when another thing is going on", "[pg]")
{
    shop shop;
    transaction first{shop.link};
    transaction second{shop.link};
    second.send_along(insert, 3);
    shop.run(first.execute(insert, 1));
    CHECK(refusal_of([&] { shop.run(second.flush()); }).code == errc::usage);
    auto slow = shop.start(first.execute({.name = "slow", .sql = "select pg_sleep(0.05)"}));
    shop.settle();
    first.send_along(insert, 2);
    CHECK(refusal_of([&] { shop.run(first.flush()); }).what ==
          "insert: the connection is busy: it does one thing at a time");
    shop.finish(slow);
    shop.run(first.commit());
    shop.run(second.run_script({.name = "script",
                                .sql = "insert into t select 4 from t "
                                       "where a = 3"}));
    shop.run(second.commit());

    CHECK(shop.rows() == "1,2,3,4");
}

TEST_CASE("a transaction that others have ended commits nothing and says so", "[pg]")
{
    shop shop;
    for (const std::string how : {"rollback", "commit"}) {
        int calls = 0;
        transaction work{shop.link};
        work.after_commit([&calls] { ++calls; });
        shop.run(work.execute(insert, 1));
        shop.run(shop.link.run_script({.name = how, .sql = how}));

        const auto refused = refusal_of([&] { shop.run(work.commit()); });
        CHECK(refused.code == errc::usage);
        CHECK(refused.says("commit: the connection has left the transaction"));
        CHECK(refusal_of([&] { shop.run(work.execute(insert, 2)); }).code == errc::usage);
        CHECK(refusal_of([&] {
                  shop.run(work.run_script({.name = "script", .sql = "insert into t values (2)"}));
              }).code == errc::usage);
        CHECK(calls == 0);
        shop.run(work.rollback());
        CHECK_FALSE(work.open());
        CHECK(shop.rows() == (how == "commit" ? "1" : ""));
    }
    CHECK_FALSE(shop.link.broken());
}

TEST_CASE("a commit that was refused because the connection is busy can be tried again", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    work.add_to_commit(insert, params(std::in_place, 2));
    auto slow = shop.start(work.execute({.name = "slow", .sql = "select pg_sleep(0.05)"}));
    shop.settle();

    CHECK(refusal_of([&] { shop.run(work.commit()); }).what ==
          "commit: the connection is busy: it does one thing at a time");
    shop.finish(slow);
    shop.run(work.commit());

    CHECK(shop.rows() == "2");
    CHECK_FALSE(work.commit_unknown());
}

TEST_CASE("a transaction whose BEGIN was refused has not begun", "[pg]")
{
    shop shop;
    transaction first{shop.link};
    shop.run(first.execute(one));
    shop.run(first.commit());
    shop.run(shop.link.run_script({.name = "discard", .sql = "discard all"})); // BEGIN as well.
    transaction work{shop.link};

    CHECK(refusal_of([&] { shop.run(work.execute(insert, 1)); }).sqlstate == "26000");
    shop.run(work.execute(insert, 2));
    CHECK(shop.link.in_transaction());
    shop.run(work.rollback());

    CHECK(shop.rows().empty());
}

TEST_CASE("a transaction has the isolation it was asked for", "[pg]")
{
    shop shop;
    const statement level{.name = "level", .sql = "show transaction_isolation"};
    const auto of = [&](isolation asked) {
        transaction work{shop.link, asked};
        auto got = shop.run(work.query_one<std::string>(level));
        shop.run(work.commit());
        return got;
    };

    CHECK(of(isolation::read_committed) == "read committed");
    CHECK(of(isolation::repeatable_read) == "repeatable read");
    CHECK(of(isolation::serializable) == "serializable");
}

TEST_CASE("a script runs inside its transaction", "[pg]")
{
    shop shop;
    transaction work{shop.link};

    shop.run(work.run_script({.name = "two",
                              .sql = "insert into t values (1); insert into t "
                                     "values (2)"}));
    REQUIRE(shop.rows().empty());
    shop.run(work.commit());

    REQUIRE(shop.rows() == "1,2");
}

TEST_CASE("a transaction that is lent is ended by its owner alone", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    shop.run(work.execute(insert, 1));

    work.lend();

    CHECK(refusal_of([&] { shop.run(work.commit()); }).code == errc::usage);
    CHECK(refusal_of([&] { shop.run(work.rollback()); }).says("is lent"));
    CHECK(shop.run(work.query_one<int>(one)) == 1);
    work.take_back();
    shop.run(work.commit());
    CHECK(shop.rows() == "1");
}

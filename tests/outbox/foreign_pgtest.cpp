#include "orders.hpp"
#include "support/migrated.hpp"

#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/outbox/statements.hpp>
#include <cuebox/pg/error.hpp>

#include <catch2/catch_test_macros.hpp>

#include <memory>

// What a service with a libpq connection of its own calls.
extern "C" {
struct pg_conn* PQconnectdb(const char* conninfo);
struct pg_result* PQexec(struct pg_conn* connection, const char* query);
struct pg_result* PQexecParams(struct pg_conn* connection, const char* command, int count,
                               const unsigned* types, const char* const* values, const int* lengths,
                               const int* formats, int result_format);
char* PQcmdTuples(struct pg_result* result);
void PQclear(struct pg_result* result);
void PQfinish(struct pg_conn* connection);
}

using namespace cuebox;
using namespace cuebox::outbox;
using namespace cuebox::outbox::test;

namespace {

const publisher shop{{.source = "shop", .generation = 7}};

class their_connection
{
public:
    explicit their_connection(const std::string& conninfo) : raw_(PQconnectdb(conninfo.c_str())) {}

    pg_conn* get() const { return raw_.get(); }
    void execute(const char* sql) const { PQclear(PQexec(raw_.get(), sql)); }

private:
    struct finish
    {
        void operator()(pg_conn* connection) const { PQfinish(connection); }
    };
    std::unique_ptr<pg_conn, finish> raw_;
};

}

TEST_CASE("an event goes into the transaction of somebody else's connection", "[outbox]")
{
    const migrated database;
    const their_connection theirs{database.conninfo()};

    theirs.execute("begin");
    const auto id = shop.publish(theirs.get(), some_order(12));
    const std::string before = database.query("select count(*) from core.outbox");
    theirs.execute("commit");

    CHECK(before == "0");
    CHECK(database.query("select id, payload->'number' from core.outbox") ==
          event::print_uuid(id) + "|12");
}

TEST_CASE("many events go into somebody else's transaction in one statement", "[outbox]")
{
    const migrated database;
    const their_connection theirs{database.conninfo()};
    const std::vector<outgoing> events{shop.prepare(some_order(1)), shop.prepare(some_order(2))};

    theirs.execute("begin");
    shop.publish(theirs.get(), events);
    theirs.execute("commit");

    CHECK(database.query("select sum((payload->'number')::int) from core.outbox") == "3");
}

TEST_CASE("a quiet event of another publisher is not quiet where nobody would wake for it",
          "[outbox]")
{
    const migrated database;
    const their_connection theirs{database.conninfo()};
    outgoing event = shop.prepare(some_order(1));
    event.quiet = true;

    theirs.execute("begin");
    shop.publish(theirs.get(), event);
    theirs.execute("commit");

    CHECK(database.query("select quiet from core.outbox") == "f");
}

TEST_CASE("without an open transaction nothing is published", "[outbox]")
{
    const migrated database;
    const their_connection theirs{database.conninfo()};

    CHECK_THROWS_AS(shop.publish(theirs.get(), some_order(1)), publish_error);

    theirs.execute("begin");
    theirs.execute("select nonsense");
    CHECK_THROWS_AS(shop.publish(theirs.get(), some_order(1)), publish_error);
    theirs.execute("rollback");
    CHECK(database.query("select count(*) from core.outbox") == "0");
}

TEST_CASE("any client can run an event as a statement with text parameters", "[outbox]")
{
    const migrated database;
    const their_connection theirs{database.conninfo()};
    const outgoing event = shop.prepare(some_order(5), {.delay = std::chrono::hours(1)});
    const portable_statement portable = as_text(event);
    std::vector<const char*> values;
    for (const auto& value : portable.values)
        values.push_back(value ? value->c_str() : nullptr);

    auto* result =
        PQexecParams(theirs.get(), std::string(portable.sql).c_str(),
                     static_cast<int>(values.size()), nullptr, values.data(), nullptr, nullptr, 0);
    const std::string taken = PQcmdTuples(result);
    PQclear(result);

    CHECK(taken == "1");
    CHECK(database.query("select payload->'number', target is null, domain_id is null, "
                         "available_at - created_at > interval '59 min' from core.outbox") ==
          "5|t|t|t");
}

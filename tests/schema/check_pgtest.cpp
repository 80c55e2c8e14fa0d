#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>

using namespace cuebox::schema::test;

namespace {

std::string insert(const std::string& column, const std::string& value)
{
    std::map<std::string, std::string> row{
        {"event_type", "'a'"}, {"source", "'tests'"}, {"generation", "1"}, {"payload", "'{}'"}};
    row[column] = value;
    std::string columns;
    std::string values;
    for (const auto& [name, text] : row) {
        columns += (columns.empty() ? "" : ", ") + name;
        values += (values.empty() ? "" : ", ") + text;
    }
    return "insert into core.outbox (" + columns + ") values (" + values + ")";
}

}

TEST_CASE("a bad row is refused by a constraint whose name says why", "[schema]")
{
    outbox outbox;
    const auto refused = [&outbox](const std::string& column, const std::string& value,
                                   const std::string& by) {
        const std::string why = outbox.refusal(insert(column, value));
        return says(why, "check constraint \"" + by + "\"") && says(why, column + ": ");
    };

    CHECK(refused("channel", "'Outbox'", "outbox_channel_is_a_name"));
    CHECK(refused("channel", "''", "outbox_channel_is_a_name"));
    CHECK(refused("channel", "'1st'", "outbox_channel_is_a_name"));
    CHECK(refused("channel", "'a-b'", "outbox_channel_is_a_name"));
    CHECK(refused("channel", "E'a\\nb'", "outbox_channel_is_a_name"));
    CHECK(refused("channel", "repeat('a', 64)", "outbox_channel_is_a_name"));
    CHECK(refused("event_version", "0", "outbox_event_version_is_positive"));
    CHECK(refused("event_version", "-1", "outbox_event_version_is_positive"));
    CHECK(refused("status", "'lost'", "outbox_status_is_known"));
    CHECK(refused("content_class", "'secret'", "outbox_content_class_is_known"));
    CHECK(refused("idempotency_key", "repeat('k', 513)",
                  "outbox_idempotency_key_is_at_most_512_bytes"));
    for (const std::string name : {"event_type", "source", "target"}) {
        CHECK(refused(name, "''", "outbox_" + name + "_is_a_name"));
        CHECK(refused(name, "repeat('n', 256)", "outbox_" + name + "_is_a_name"));
        CHECK(refused(name, "E'a\\nb'", "outbox_" + name + "_is_a_name"));
    }
    CHECK(refused("idempotency_key", "''", "outbox_idempotency_key_is_at_most_512_bytes"));
    CHECK(refused("idempotency_key", "E'a\\x7f'", "outbox_idempotency_key_is_at_most_512_bytes"));
    CHECK(refused("channel", "'outbox_gen_2'", "outbox_channel_is_of_the_generation"));
    CHECK(refused("channel", "'outbox_gen_2_bulk'", "outbox_channel_is_of_the_generation"));
    CHECK(refused("channel", "'outbox_gen_12'", "outbox_channel_is_of_the_generation"));
    CHECK(refused("id", "'00000000-0000-0000-0000-000000000000'", "outbox_id_is_not_nil"));
    CHECK(refused("occurred_at", "'294276-12-31'", "outbox_occurred_at_is_in_range"));
    CHECK(refused("occurred_at", "'-infinity'", "outbox_occurred_at_is_in_range"));
    CHECK(refused("available_at", "'infinity'", "outbox_available_at_is_in_range"));
    for (const std::string trace :
         {"nonsense", "", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
          "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
          "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
          "00-4bf92f3577b34da6a3ce929d0e0e47361-0f067aa0ba902b7-01"})
        CHECK(refused("trace_context", "'" + trace + "'", "outbox_trace_context_is_a_traceparent"));
    CHECK(refused("payload", "'[1]'", "outbox_payload_is_an_object"));
    CHECK(refused("payload", "'null'", "outbox_payload_is_an_object"));
    CHECK(refused("payload", "jsonb_build_object('x', repeat('x', 262136))",
                  "outbox_payload_is_at_most_256_kib"));
    // Short to write and long to print; compressed, as it comes out of another table.
    CHECK(refused("payload", "('{\"n\": [1e131071' || repeat(', 1e131071', 40) || ']}')::jsonb",
                  "outbox_payload_is_at_most_256_kib"));
    outbox.ask(
        "create table packed as select jsonb_build_object('x', repeat('x', 262143)) as payload");
    REQUIRE(outbox.ask("select pg_column_size(payload) < 32768 from packed") == "t");
    CHECK(refused("payload", "(select payload from packed)", "outbox_payload_is_at_most_256_kib"));
    for (const std::string generation : {"0", "-1"})
        CHECK(says(outbox.refusal("insert into core.outbox (id, event_type, source, generation, "
                                  "payload) values (t.id(1), 'a', 'tests', " +
                                  generation + ", '{}')"),
                   "outbox_generation_is_positive"));
    CHECK(outbox.ask("select count(*) from core.outbox") == "0");
}

TEST_CASE("rows at the limits are taken", "[schema]")
{
    outbox outbox;

    outbox.ask(insert("channel", "repeat('a', 63)"));
    outbox.ask(insert("channel", "'_a1'"));
    outbox.ask(insert("content_class", "'personal'"));
    outbox.ask(insert("idempotency_key", "repeat('k', 512)"));
    outbox.ask(insert("payload", "jsonb_build_object('x', repeat('x', 262135))"));
    outbox.ask(insert("channel", "'outbox_gen_1_bulk'"));
    outbox.ask(insert("channel", "'outbox_generic'"));
    outbox.ask(insert("event_type", "repeat('n', 255)"));
    outbox.ask(insert("target", "'\u00fcbung'"));
    outbox.ask(insert("occurred_at", "'0001-01-01 00:00:00+00'"));
    outbox.ask(insert("available_at", "'9999-12-31 23:59:59.999999+00'"));
    outbox.ask(
        insert("trace_context", "'00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'"));

    CHECK(outbox.ask("select count(*), max(octet_length(payload::text)) from core.outbox") ==
          "12|262144");
}

TEST_CASE("a large row is claimed, retried and settled like any", "[schema]")
{
    outbox outbox;
    outbox.ask("insert into core.outbox (id, event_type, source, generation, payload) select "
               "t.id(1), 'a', 'tests', 1, jsonb_object_agg(n, md5(n::text)) from "
               "generate_series(1, 5900) n");

    outbox.ask("select t.claim(); select t.settle(1, 'retry', retry_in => '0'); select t.claim(); "
               "select t.settle(1)");

    CHECK(outbox.ask("select status, attempts, octet_length(payload::text) > 250000 "
                     "from core.outbox") == "delivered|1|t");
}

TEST_CASE("the key defaults to the id, and is the producer's to choose", "[schema]")
{
    outbox outbox;

    outbox.ask(insert("target", "'ctx'"));
    outbox.ask(insert("idempotency_key", "null"));
    outbox.ask("select t.publish(1)");
    CHECK(outbox.ask("select count(*) from core.outbox where idempotency_key = id::text") == "3");

    outbox.ask("update core.outbox set idempotency_key = 'changed'");
    outbox.ask(insert("idempotency_key", "'chosen'"));
    CHECK(outbox.ask("select distinct idempotency_key from core.outbox order by 1") ==
          "changed\nchosen");
}

TEST_CASE("a row that was published is ordinary and pending, one for later is not", "[schema]")
{
    outbox outbox;

    outbox.ask("begin; select t.publish(1), t.publish(2, due => '1 s'); commit");

    CHECK(outbox.ask("select status, attempts, failure_history, available_at > created_at, "
                     "quiet, deleted_at is null from core.outbox order by id") ==
          "pending|0|[]|f|f|t\npending|0|[]|t|f|t");
}

TEST_CASE("an id made by the database is a time-ordered uuid", "[schema]")
{
    outbox outbox;

    CHECK(
        outbox.ask("select substr(u::text, 15, 1), substr(u::text, 20, 1) in ('8', '9', 'a', 'b') "
                   "from core.uuid_v7() u") == "7|t");
    CHECK(outbox.ask("select abs(extract(epoch from now()) - ('x' || left(replace(core.uuid_v7()::"
                     "text, '-', ''), 12))::bit(48)::bigint / 1000.0) < 60") == "t");
}

TEST_CASE("a handler's name in a dedup record has its context before it", "[schema]")
{
    outbox outbox;
    const auto remember = [](const std::string& handler) {
        return "insert into core.event_handled (handler_name, idempotency_key, event_id) values "
               "('" +
               handler + "', 'k', gen_random_uuid())";
    };

    outbox.ask(remember("ctx.handler"));
    CHECK(says(outbox.refusal(remember("handler")), "event_handled_handler_name_is_scoped"));
    CHECK(says(outbox.refusal(remember(".h")), "event_handled_handler_name_is_scoped"));
    CHECK(says(outbox.refusal(remember("ctx.handler")), "event_handled_pkey"));
}

TEST_CASE("the class of a dedup record is one that is known", "[schema]")
{
    outbox outbox;

    CHECK(says(outbox.refusal("insert into core.event_handled (handler_name, idempotency_key, "
                              "event_id, content_class) values ('ctx.h', 'k', t.id(1), 'secret')"),
               "event_handled_content_class_is_known"));
}

TEST_CASE("an event published by function is refused in words that say why", "[schema]")
{
    outbox outbox;
    const auto refused = [&outbox](const std::string& arguments) {
        return outbox.refusal("select core.outbox_publish('a', 'tests', 1, " + arguments + ")");
    };

    CHECK(says(refused("p_class => repeat('c', 33)"), "use at most 32 of a-z, 0-9 and _"));
    CHECK(says(refused(R"('{"n": [1e131071, 1e131071]}')"), "payload: 262155 bytes as text"));
    CHECK(outbox.ask("select count(*) from core.outbox") == "0");

    // A class of the longest fits at any generation.
    outbox.ask("select core.outbox_publish('a', 'tests', 9223372036854775807, "
               "p_class => repeat('c', 32))");
    CHECK(outbox.ask("select octet_length(channel) from core.outbox") == "63");
}

TEST_CASE("core.outbox_publish keeps to the table's rules", "[schema]")
{
    outbox outbox;
    const auto refusal = [&outbox](const std::string& arguments) {
        return outbox.refusal("select core.outbox_publish(" + arguments + ")");
    };

    CHECK(says(refusal("'', 'tests', 1"), "event_type: give it 1 to 255 bytes"));
    CHECK(says(refusal("'a', 'tests', 1, '[1]'"), "payload: not a JSON object"));
    CHECK(says(refusal("'a', 'tests', 1, p_trace_context => 'nonsense'"),
               "trace_context: not a W3C traceparent"));
    CHECK(says(refusal("'a', 'tests', 1, p_class => 'Bulk'"), "class: \"Bulk\"; use at most 32"));
    CHECK(outbox.ask("select count(*) from core.outbox") == "0");
}

TEST_CASE("a row that names no id gets one in the order of time", "[schema]")
{
    outbox outbox;

    outbox.ask(insert("target", "'first'"));
    outbox.ask("select pg_sleep(0.002)");
    outbox.ask(insert("target", "'second'"));

    CHECK(outbox.ask("select target, substr(id::text, 15, 1), idempotency_key = id::text "
                     "from core.outbox order by id") == "first|7|t\nsecond|7|t");
}

TEST_CASE("a producer names the domain or the workspace, and the row has both", "[schema]")
{
    outbox outbox;

    outbox.ask(insert("workspace_id", "t.id(1)"));
    outbox.ask(insert("domain_id", "t.id(1)"));
    outbox.ask(insert("domain_id, workspace_id", "t.id(1), t.id(1)"));
    outbox.ask(insert("domain_id, workspace_id", "null, t.id(1)"));
    CHECK(outbox.ask("select distinct domain_id = t.id(1), workspace_id = t.id(1) "
                     "from core.outbox") == "t|t");

    outbox.ask(insert("workspace_id", "null"));
    CHECK(outbox.ask("select count(*) from core.outbox where domain_id is null and workspace_id "
                     "is null") == "1");
    CHECK(says(outbox.refusal(insert("domain_id, workspace_id", "t.id(1), t.id(2)")),
               "workspace_id: differs from domain_id"));
}

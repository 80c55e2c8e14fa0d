#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace cuebox::schema::test;

// What the server does for a claim, seen in its statistics: plans are pinned, whatever the planner
// believes of the table.
namespace {

constexpr auto seq_scans = "select seq_scan from pg_stat_user_tables where relname = 'outbox'";
constexpr auto rows_read = "select idx_tup_fetch from pg_stat_user_tables where relname = 'outbox'";
constexpr auto hot_percent = "select n_tup_hot_upd * 100 / n_tup_upd from pg_stat_user_tables "
                             "where relname = 'outbox'";

// Twenty thousand rows in a table that was empty when it was last analyzed.
class filled : public outbox
{
public:
    filled()
    {
        ask("analyze core.outbox");
        ask("select t.publish_many(1, 20000)");
    }
    std::string statistics(const char* query)
    {
        ask("select pg_stat_force_next_flush()");
        return ask(query);
    }
};

}

TEST_CASE("no function that workers call again and again scans the table", "[schema][alone]")
{
    filled outbox;
    outbox.ask("select core.subscribe('x', 1, '{a}'), core.subscribe('y', 1, '{a}')");
    const auto before = outbox.statistics(seq_scans);

    outbox.ask("select core.outbox_expand(1, '{a}', 10, '-infinity', '-infinity')");
    outbox.ask("select core.unsubscribe('x', 1, '{a}'), core.unsubscribe('y', 1, '{a}')");
    outbox.ask("select t.claim(10); select core.outbox_extend(t.ids(11), t.ids(1))");
    outbox.ask("select t.turn(10, token => 2)");
    outbox.ask("select t.settle(11), t.settle(12, 'retry'), t.settle(13, 'released')");
    outbox.ask("begin; select t.claim_locked(10); select core.outbox_settle_locked(array[ctid], "
               "array[id]) from core.outbox where id = t.id(21); commit");
    outbox.advance();
    outbox.ask("select core.outbox_recheck(1); select core.outbox_next_due(1); "
               "select core.outbox_reap(1); select core.outbox_generations()");
    outbox.ask("select core.sweep_outbox(1); select count(*) from core.metrics_backlog");

    CHECK(outbox.statistics(seq_scans) == before);
}

TEST_CASE("what was planned for a small table goes on reading its own rows alone",
          "[schema][alone]")
{
    const std::string call =
        GENERATE("core.outbox_settle(t.ids(1, 2), t.ids(1, 9))",
                 "core.outbox_extend(t.ids(1, 2), t.ids(1, 9))",
                 "core.outbox_settle_delivered(t.id(1), '{\"(0,1)\",\"(0,2)\"}', t.ids(1, 77))");
    outbox outbox;
    outbox.ask("analyze core.outbox");
    // Planned now, in this session, and kept.
    outbox.ask("select t.publish_many(30001, 30001); select count(*) from " + call);
    outbox.ask("select t.publish_many(1, 20000); select t.claim(10)");
    const auto reads = [&outbox] {
        outbox.ask("select pg_stat_force_next_flush()");
        return std::stol(outbox.ask("select coalesce(idx_tup_fetch, 0) + seq_tup_read from "
                                    "pg_stat_user_tables where relname = 'outbox'"));
    };
    const auto before = reads();

    CHECK(outbox.ask("select count(*) from " + call) != "0");

    CHECK(reads() - before < 100);
}

TEST_CASE("a claim reads no more rows than it needs", "[schema][alone]")
{
    const std::string claim = GENERATE("select t.claim(10)", "select t.turn(10)");
    filled outbox;
    const auto before = std::stol(outbox.statistics(rows_read));

    outbox.ask(claim);

    CHECK(std::stol(outbox.statistics(rows_read)) - before < 100);
}

TEST_CASE("rows that wait for their time cost nobody anything until then", "[schema][alone]")
{
    filled outbox;
    outbox.ask("update core.outbox set available_at = now() + interval '1 hour'");
    outbox.ask("select core.subscribe('x', 1, '{a}'), core.subscribe('y', 1, '{a}')");
    const auto reads = [&outbox](const std::string& call) {
        const auto before = std::stol(outbox.statistics(rows_read));
        outbox.ask(call);
        return std::stol(outbox.statistics(rows_read)) - before;
    };
    const auto above = outbox.ask("select now()");

    CHECK(reads("select t.claim(10, above => '" + above + "')") < 100);
    CHECK(reads("select t.turn(10, above => '" + above + "')") < 100);
    CHECK(reads("select core.outbox_expand(1, '{a}', 10, '" + above + "', '-infinity')") < 100);

    // Reaping reads what is ordinary from the floor on: it has to have risen.
    outbox.ask("update core.outbox set created_at = created_at - interval '1 minute'");
    outbox.advance();
    CHECK(reads("select core.outbox_reap(1)") < 100);

    // And those whose time has come are none of the next one's business.
    outbox.ask("update core.outbox set available_at = created_at + interval '1 s'");
    CHECK(reads("select core.outbox_next_due(1)") < 100);
}

TEST_CASE("claims and settles of the leased flow are HOT, nearly all of them", "[schema][alone]")
{
    filled outbox;

    outbox.ask(R"(do $$ declare v_ids uuid[]; begin loop
        v_ids := array(select id from core.outbox_claim(
            'w', t.id(1), 1, 'ctx', '{a}', null, 100, '-infinity', '-infinity'));
        commit;
        exit when v_ids = '{}';
        perform core.outbox_settle(v_ids, array_fill(t.id(1), array[cardinality(v_ids)]));
        commit;
    end loop; end $$)");

    CHECK(std::stoi(outbox.statistics(hot_percent)) >= 80);
    CHECK(outbox.ask("select distinct status from core.outbox") == "delivered");
}

TEST_CASE("settles of the transactional flow are HOT, all of them", "[schema][alone]")
{
    filled outbox;

    outbox.ask(R"(do $$ declare v_ids uuid[]; v_places tid[]; begin loop
        select array_agg(id), array_agg(place) into v_ids, v_places from core.outbox_claim_locked(
            1, 'ctx', '{a}', null, 100, '-infinity', '-infinity');
        exit when v_ids is null;
        perform core.outbox_settle_locked(v_places, v_ids);
        commit;
    end loop; end $$)");

    CHECK(std::stoi(outbox.statistics(hot_percent)) >= 95);
    CHECK(outbox.ask("select distinct status from core.outbox") == "delivered");
}

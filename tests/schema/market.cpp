#include "market.hpp"

#include <sstream>

namespace cuebox::schema::test {

namespace {

std::vector<int> numbers(const std::string& list)
{
    std::vector<int> all;
    std::istringstream in{list};
    for (std::string each; std::getline(in, each, ',');)
        all.push_back(std::stoi(each));
    return all;
}

void append(std::vector<int>& to, std::vector<int>& from)
{
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
}

std::string text(int number)
{
    return std::to_string(number);
}

// Claimers keep their bounds where time can go by for them too.
constexpr auto bounds = R"(
create table t.bounds (claimer int primary key, position timestamptz, due timestamptz);
insert into t.bounds select n, '-infinity', '-infinity' from generate_series(1, 2) n;
create function t.claim_as(c int, token int, most int, is_full boolean) returns text
    language plpgsql as $$
declare
    b t.bounds := (select x from t.bounds x where claimer = c);
    rows core.claimed_row[] := array(select r from core.outbox_claim(
        'w', t.id(token), 1, 'ctx', '{a}', null, most,
        case when is_full then t.floor() else b.position end,
        case when is_full then '-infinity' else b.due end) r);
begin
    update t.bounds set
        position = coalesce((select max(created_at) from unnest(rows)
                             where available_at <= created_at), position),
        due = coalesce((select max(available_at) from unnest(rows)
                        where available_at > created_at), due)
        where claimer = c;
    return t.list(rows);
end $$;
)";

}

market::market(unsigned seed) : dice_{seed}
{
    main_.ask(bounds);
    main_.ask("select core.allocate_generation('one')");
}

bool market::chance(int percent)
{
    return between(1, 100) <= percent;
}

int market::between(int low, int high)
{
    // Not a distribution: those differ from library to library, and a seed should mean one thing.
    return low + static_cast<int>(dice_() % static_cast<unsigned>(high - low + 1));
}

void market::step()
{
    // Mostly there is less to do than claimers can, so that the floor keeps close to the clock.
    auto& claimer = claimers_[static_cast<std::size_t>(between(0, 1))];
    switch (between(1, 10)) {
    case 1:
        return produce(producers_[0], 70);
    case 2:
        return produce(producers_[1], 10);
    case 3:
    case 4:
    case 5:
        return work(claimer);
    case 6:
        return claimer.open ? finish(claimer, chance(70)) : lock(claimer);
    case 7:
    case 8:
        return main_.advance(chance(40) ? "0" : chance(50) ? "5 seconds" : "1 hour", 1);
    case 9:
        return time_goes_by();
    default:
        main_.ask("select core.outbox_reap(1, p_lease => '10 seconds')");
        return replay();
    }
}

void market::produce(producer& by, int ends)
{
    if (!by.open)
        by.link.ask("begin");
    by.open = true;
    for (int n = between(1, 5); n > 0; --n) {
        by.written.push_back(++rows_);
        by.link.ask("select t.publish(" + text(rows_) + (chance(10) ? ", due => '4 s')" : ")"));
    }
    if (chance(ends))
        finish(by, chance(80));
}

void market::finish(producer& by, bool commit)
{
    by.link.ask(commit ? "commit" : "rollback");
    by.open = false;
    if (commit)
        append(committed_, by.written);
    by.written.clear();
}

void market::work(claimer& by)
{
    if (by.open)
        return finish(by, chance(70));
    if (by.held.empty())
        lease(by, chance(60));
    if (chance(75))
        settle(by);
}

void market::lease(claimer& by, bool full)
{
    by.token = ++tokens_;
    by.held = numbers(by.link.ask("select t.claim_as(" + by.number + ", " + text(by.token) + ", " +
                                  text(between(1, 20)) + (full ? ", true)" : ", false)")));
}

void market::settle(claimer& by)
{
    for (const int row : by.held) {
        const auto with = [&](const std::string& outcome) {
            return by.link.ask("select t.settle(" + text(row) + ", '" + outcome + "', " +
                               text(by.token) + ", '1 s')");
        };
        if (chance(70)) {
            if (with("delivered").empty())
                delivered_.push_back(row);
        }
        else if (chance(80)) // Else it is forgotten, until the reaper finds it.
            with(chance(40) ? "retry" : chance(60) ? "released" : "failed");
    }
    by.held.clear();
}

void market::lock(claimer& by)
{
    by.link.ask("begin");
    by.open = true;
    const auto rows = numbers(
        by.link.ask("select t.claim_locked(" + text(between(1, 6)) + ", above => t.floor())"));
    for (const int row : rows) {
        if (chance(80)) {
            by.link.ask("select t.settle_locked(" + text(row) + ")");
            by.settled.push_back(row);
        }
        else if (chance(50))
            by.link.ask("select t.settle_locked(" + text(row) + ", 'retry', '1 s', 'e')");
    }
}

void market::finish(claimer& by, bool commit)
{
    by.link.ask(commit ? "commit" : "rollback");
    by.open = false;
    if (commit)
        append(delivered_, by.settled);
    by.settled.clear();
}

void market::time_goes_by()
{
    for (auto& each : claimers_)
        if (each.open) // Rows that are locked cannot be made older.
            finish(each, true);
    const auto by = "'" + text(between(1, 3)) + " s'";
    main_.ask("select t.age(" + by + "); update t.bounds set position = position - interval " + by +
              ", due = due - interval " + by);
    for (auto& each : producers_)
        if (each.open)
            each.link.ask("select t.age_own(" + by + ")");
}

void market::replay()
{
    main_.ask("select core.outbox_replay(id, 1) from core.outbox where status = 'failed'");
}

void market::close()
{
    for (auto& each : producers_)
        if (each.open)
            finish(each, chance(70));
    for (auto& each : claimers_) {
        if (each.open)
            finish(each, true);
        each.held.clear();
    }
    for (int round = 0; round < 12; ++round) {
        main_.advance("0", 1);
        time_goes_by();
        main_.ask("select core.outbox_reap(1, p_lease => '1 second')");
        replay();
        auto& claimer = claimers_[static_cast<std::size_t>(round % 2)];
        claimer.token = ++tokens_;
        for (const int row : numbers(claimer.link.ask("select t.claim_as(" + claimer.number + ", " +
                                                      text(claimer.token) + ", 1000, true)")))
            if (claimer.link.ask("select t.settle(" + text(row) + ", null, " + text(claimer.token) +
                                 ")") == "")
                delivered_.push_back(row);
    }
}

}

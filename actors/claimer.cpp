#include "claimer.hpp"

#include <algorithm>
#include <numeric>

namespace cuebox::actors {

namespace {

constexpr std::chrono::milliseconds floor_every{500};
// How long a look at everything waits until what is in hand is handled.
constexpr std::chrono::milliseconds look_patience{50};

duration since_epoch(time_point at)
{
    return at.time_since_epoch();
}

}

claimer::claimer(company_ptr company)
    : company_(std::move(company)),
      leased_(company_->handlers->leased_types(), company_->settlers.size(),
              company_->settings.claim),
      locked_(company_->handlers->transactional_types(), company_->lanes.size(),
              company_->settings.claim),
      asked_for_(company_->settlers.size(), 0)
{}

awaitable<void> claimer::run(self<messages>& me)
{
    (void)company_->connection.try_send(tell_line{});
    if (!leased_.types().empty()) {
        me.every(company_->settings.lease / 3, lease_check_due{});
        (void)company_->crew.try_send(roll_call{});
    }
    while (auto message = co_await me.receive()) {
        react(me, *message);
        while (auto more = me.try_receive())
            react(me, *more);
        dispatch(me);
        pump(me);
        company_->vitals->note_load(load());
    }
    while (auto left = me.try_receive())
        if (auto* got = std::get_if<claimed>(&*left))
            for (const held_row& each : got->rows)
                give_back(each);
    // What was claimed and not started goes back untouched.
    for (const held_row& each : hand_->take_waiting())
        give_back(each);
}

void claimer::react(self<messages>& me, messages::any& message)
{
    if (std::holds_alternative<wake>(message)) {
        wake_flows();
        (void)company_->retry.try_send(look{});
    }
    else if (auto* state = std::get_if<line_state>(&message)) {
        set_line(me, *state);
    }
    else if (auto* got = std::get_if<claimed>(&message)) {
        take(me, *got);
    }
    else if (auto* locked = std::get_if<lane_reached>(&message)) {
        reach(me, *locked);
    }
    else if (auto* done = std::get_if<lane_done>(&message)) {
        finish(me, *done);
    }
    else if (auto* idle = std::get_if<worker_idle>(&message)) {
        release_worker(me, *idle);
    }
    else if (std::holds_alternative<hand_moved>(message)) {
        for (const auto& each : hand_->take_paces())
            leased_.size.handled(each.rows, each.took);
    }
    else if (auto* crew = std::get_if<crew_present>(&message)) {
        seat(*crew);
    }
    else if (auto* written = std::get_if<marked>(&message)) {
        named_ = naming_ && std::ranges::find(written->rows, *naming_) != written->rows.end();
    }
    else if (auto* lost = std::get_if<leases_lost>(&message)) {
        lose(me, *lost);
    }
    else if (auto* found = std::get_if<floor_found>(&message)) {
        floor_known_ = true;
        floor_asking_ = false;
        if (found->floor) {
            leased_.set_floor(*found->floor);
            locked_.set_floor(*found->floor);
        }
    }
    else if (std::holds_alternative<poll_due>(message)) {
        poll_ = 0;
        wake_flows();
        arm(me);
    }
    else if (std::holds_alternative<lease_check_due>(message)) {
        renew_leases();
    }
    else if (std::holds_alternative<mark_due>(message)) {
        mark(me);
    }
    else if (std::holds_alternative<claim_again>(message)) {
        again_ = 0;
    }
    else if (std::holds_alternative<floor_check_due>(message)) {
        floor_timer_ = false;
    }
    else {
        std::get<request<get_load>>(message).reply(load());
    }
}

claimer_load claimer::load() const
{
    return {.in_hand = hand_->size(),
            .waiting = hand_->waiting(),
            .claim_size = leased_.size.now(),
            .polling = polling_};
}

void claimer::set_line(self<messages>& me, const line_state& state)
{
    started_ = true;
    polling_ = state.polling;
    if (state.careful)
        careful_until_ = me.now() + company_->settings.careful;
    wake_flows();
    arm(me);
}

void claimer::wake_flows()
{
    leased_.woken();
    locked_.woken();
    floor_due_ = true;
}

// The next poll: a slow one always, a faster one while nothing can be heard.
void claimer::arm(self<messages>& me)
{
    if (poll_ != 0)
        me.cancel(poll_);
    const auto& rules = company_->settings;
    poll_ = me.after(polling_ ? rules.poll : rules.safety_poll, poll_due{});
}

void claimer::take(self<messages>& me, claimed& got)
{
    leased_.busy[got.settler] = false;
    asked_for_[got.settler] = 0;
    if (!got.ok) {
        leased_.failed(since_epoch(me.now()));
        return;
    }
    leased_.answered(got.bounds, got.reach, got.expanded, since_epoch(me.now()));
    if (got.rows.empty())
        return;
    const std::string* last = nullptr;
    for (const held_row& each : got.rows) {
        if (!last || *last != each.row->channel)
            notice_channel(each.row->channel);
        last = &each.row->channel;
    }
    for (const auto& each : hand_->add(std::move(got.rows), me.now()))
        (void)workers_[each.worker].try_send(lease_lost{each.row, each.token});
}

void claimer::reach(self<messages>& me, const lane_reached& locked)
{
    locked_.answered(locked.bounds, locked.reach, locked.expanded, since_epoch(me.now()));
    for (const std::string& each : locked.channels)
        notice_channel(each);
}

void claimer::finish(self<messages>& me, const lane_done& done)
{
    locked_.busy[done.lane] = false;
    if (!done.ok) {
        locked_.failed(since_epoch(me.now())); // What it had locked is there again.
        return;
    }
    locked_.size.handled(done.rows, done.took);
    if (done.retry_in)
        (void)company_->retry.try_send(due_in{*done.retry_in});
}

void claimer::release_worker(self<messages>& me, const worker_idle& idle)
{
    // A row that was given out in an earlier life says nothing of who is free in this one.
    if (!hand_->runs_at(idle.row, idle.worker))
        return;
    busy_[idle.worker] = false;
    if (idle.worker < at_work_)
        idle_.push_back(idle.worker);
    if (const auto pace = hand_->drop(idle.row, me.now()))
        leased_.size.handled(pace->rows, pace->took);
}

void claimer::lose(self<messages>& me, const leases_lost& lost)
{
    for (const auto& each : lost.leases)
        if (const auto worker = hand_->lose(each, me.now()))
            (void)workers_[*worker].try_send(lease_lost{each.id, each.token});
}

void claimer::seat(const crew_present& crew)
{
    workers_ = crew.workers;
    busy_.resize(workers_.size(), false);
    at_work_ = std::min(crew.at_work, workers_.size());
    idle_.clear();
    for (std::size_t i = at_work_; i > 0; --i)
        if (!busy_[i - 1])
            idle_.push_back(i - 1);
}

bool claimer::start_next(self<messages>& me)
{
    if (hand_->waiting() == 0 || idle_.empty())
        return false;
    const std::size_t worker = idle_.back();
    run_row order{hand_->next(), hand_};
    if (workers_[worker].try_send(std::move(order)) != sent::accepted)
        return false; // It is being restarted.
    hand_->start_next(worker, me.now());
    busy_[worker] = true;
    idle_.pop_back();
    if (!std::exchange(marking_, true))
        me.after(company_->settings.mark_after, mark_due{});
    return true;
}

void claimer::dispatch(self<messages>& me)
{
    hand_->let_go_on(careful(me) ? 0 : at_work_);
    if (careful(me)) {
        dispatch_carefully(me);
        return;
    }
    naming_.reset();
    while (start_next(me)) {
    }
}

// One at a time, and only when its name is in the database: if the process dies of it, that row
// pays and no other.
void claimer::dispatch_carefully(self<messages>& me)
{
    if (hand_->waiting() == 0 || hand_->running() > 0)
        return;
    const pg::uuid next = hand_->next().row->id;
    if (naming_ != next) {
        naming_ = next;
        named_ = false;
        mark_running mark{.rows = {next}, .confirm = true};
        (void)company_->settlers.front().try_send(std::move(mark));
    }
    else if (named_) {
        start_next(me);
        naming_.reset();
    }
}

// Room for more rows: one for each worker, and what the last batches showed to be handled in no
// time, so that some wait while others are claimed and settled.
std::size_t claimer::room() const noexcept
{
    const std::size_t grown =
        leased_.size.now() > company_->settings.claim.batch_min ? 3 * leased_.size.now() : 0;
    const std::size_t most = at_work_ + grown;
    const std::size_t taken = std::accumulate(asked_for_.begin(), asked_for_.end(), hand_->size());
    return most > taken ? most - taken : 0;
}

void claimer::pump(self<messages>& me)
{
    if (!started_)
        return;
    keep_floor(me);
    // From nowhere, the first claim would pass over all there ever was.
    if (!floor_known_ && !company_->settlers.empty())
        return;
    claim_leased(me);
    claim_locked(me);
    // A flow that is held back, by the database's absence or by the price of a full claim, is
    // looked at again when that has passed.
    const duration now = since_epoch(me.now());
    std::optional<duration> next;
    for (const flow* each : {&leased_, &locked_}) {
        const auto at = each->held_back_until(now);
        if (at && (!next || *at < *next))
            next = at;
    }
    if (look_waits_ && me.now() < *look_waits_ + look_patience) {
        const duration then = since_epoch(*look_waits_ + look_patience);
        next = std::min(next.value_or(then), then);
    }
    if (!next || (again_ != 0 && again_at_ <= *next))
        return;
    if (again_ != 0)
        me.cancel(again_);
    again_ = me.after(*next - now, claim_again{});
    again_at_ = *next;
}

// To look at everything is to pass over all that was done since the floor moved, and who looks
// settles nothing meanwhile. So at the end of a backlog its last rows come first.
bool claimer::may_look(time_point now)
{
    // A settler is busy finding the floor: were another one to look everywhere meanwhile, nobody
    // would be left for what comes in.
    if (floor_asking_ && leased_.busy.size() > 1)
        return false;
    if (!leased_.wants_look(since_epoch(now))) {
        look_waits_.reset();
        return true;
    }
    // As claims come back short they shrink, but who waits already goes on waiting.
    const bool waits = look_waits_ || leased_.size.now() > company_->settings.claim.batch_min;
    if (!waits || hand_->size() == 0)
        return true;
    // Until a look is made, not until one could be: settlers may be busy when the hand is empty.
    if (!look_waits_)
        look_waits_ = now;
    return now - *look_waits_ >= look_patience;
}

void claimer::claim_leased(self<messages>& me)
{
    leased_.may_look = may_look(me.now());
    const duration now = since_epoch(me.now());
    for (std::size_t i = 0; i < leased_.busy.size(); ++i) {
        const std::size_t wanted = careful(me) ? 1 : leased_.size.now();
        const std::size_t limit = std::min(wanted, room());
        if (leased_.busy[i] || limit == 0 || !leased_.hungry(now))
            continue;
        // While everybody has something to do, a claim can wait until it is worth its round trip.
        if (leased_.backlog() && limit < wanted && hand_->size() > at_work_)
            continue;
        claim order{leased_.request(limit, now)};
        const auto bounds = order.wanted.bounds;
        if (company_->settlers[i].try_send(std::move(order)) != sent::accepted)
            continue;
        leased_.asked(bounds);
        if (bounds.full)
            look_waits_.reset();
        leased_.busy[i] = true;
        asked_for_[i] = limit;
        // Until it answers there is nothing known to be left for the others, unless there was.
        if (!leased_.backlog())
            break;
    }
}

void claimer::claim_locked(self<messages>& me)
{
    const duration now = since_epoch(me.now());
    for (std::size_t i = 0; i < locked_.busy.size(); ++i) {
        if (locked_.busy[i] || !locked_.hungry(now) || (careful(me) && i > 0))
            continue;
        take_batch order{.wanted = locked_.request(locked_.size.now(), now),
                         .careful = careful(me)};
        const auto bounds = order.wanted.bounds;
        if (company_->lanes[i].try_send(std::move(order)) != sent::accepted)
            continue;
        locked_.asked(bounds);
        locked_.busy[i] = true;
        if (!locked_.backlog())
            break;
    }
}

// Twice a second while anything happens: what is done is passed by, and what was committed
// late is found.
void claimer::keep_floor(self<messages>& me)
{
    if (!floor_due_ || company_->settlers.empty())
        return;
    const duration since = me.now() - floor_asked_;
    if (floor_asked_ != time_point{} && since < floor_every) {
        if (!floor_timer_) {
            floor_timer_ = true;
            me.after(floor_every - since, floor_check_due{});
        }
        return;
    }
    floor_asked_ = me.now();
    floor_asking_ = true;
    floor_due_ = leased_.backlog() || locked_.backlog();
    (void)company_->settlers.front().try_send(find_floor{});
}

void claimer::renew_leases()
{
    auto held = hand_->leases();
    if (!held.empty())
        (void)company_->settlers.front().try_send(extend_leases{std::move(held)});
}

// Names the rows whose handlers have run for a while.
void claimer::mark(self<messages>& me)
{
    marking_ = false;
    auto rows = hand_->take_long_running(company_->settings.mark_after, me.now());
    if (!rows.empty())
        (void)company_->settlers.front().try_send(mark_running{.rows = std::move(rows)});
    if (hand_->running() > 0) {
        marking_ = true;
        me.after(company_->settings.mark_after, mark_due{});
    }
}

// Without classes every channel of the generation is claimed from; the names of those that are
// used are learnt from the rows.
void claimer::notice_channel(const std::string& channel)
{
    if (channels_.contains(channel))
        return;
    channels_.insert(channel);
    (void)company_->connection.try_send(listen_also{channel});
}

void claimer::give_back(const held_row& held)
{
    settle outcome{{.id = held.row->id,
                    .token = held.token,
                    .place = {},
                    .verdict = policy::released{},
                    .handled = {}}};
    (void)company_->settlers[held.settler].try_send(std::move(outcome));
}

}

#include "connection.hpp"

#include "trouble.hpp"

namespace cuebox::actors {

namespace {

// How long a new worker lets the rows of a dead one be seen to before it claims any.
constexpr std::chrono::seconds wait_for_the_dead{10};
constexpr std::chrono::milliseconds look_again{500};

}

connection::connection(company_ptr company)
    : company_(std::move(company)),
      reconnect_(company_->settings.reconnect)
{}

awaitable<void> connection::run(self<messages>& me)
{
    hearing_.emplace(me.loop().executor());
    came_ = me.now();
    me.every(company_->settings.heartbeat, beat{});
    co_await attempt(me);
    note_vitals();
    while (auto message = co_await me.receive()) {
        if (std::holds_alternative<heard>(*message)) {
            (void)company_->claimer.try_send(wake{});
        }
        else if (auto* broke = std::get_if<line_broke>(&*message)) {
            co_await pause(*hearing_);
            if (line_) // A check may have found it out first.
                lose(me, broke->why);
        }
        else if (std::holds_alternative<beat>(*message)) {
            co_await check(me);
        }
        else if (std::holds_alternative<try_again>(*message)) {
            co_await attempt(me);
        }
        else if (std::holds_alternative<settle_up>(*message)) {
            const bool ready = co_await predecessors_settled(me);
            if (ready)
                tell_claimer(me);
        }
        else if (auto* also = std::get_if<listen_also>(&*message)) {
            also_.insert(also->channel);
            co_await listen_on(me, std::move(also->channel));
        }
        else if (std::holds_alternative<tell_line>(*message)) {
            repeat_to_claimer();
        }
        else {
            std::get<request<get_line>>(*message).reply(health(me));
        }
        note_vitals();
    }
    co_await pause(*hearing_);
    co_await hang_up();
}

awaitable<void> connection::attempt(self<messages>& me)
{
    if (line_)
        co_return;
    std::string why;
    try {
        line_ = co_await company_->relay->open_line(company_->handlers->all_types());
    }
    catch (const std::exception& error) {
        if (detail::is_cancellation(std::current_exception()))
            throw;
        why = error.what();
    }
    if (!line_) {
        lose(me, why);
        co_return;
    }
    for (const std::string& each : also_)
        co_await listen_on(me, each);
    if (!line_)
        co_return;
    reconnect_.succeeded();
    checked_ = me.now();
    heard_of_ = checked_;
    trouble_ = line_->deaf_because();
    if (trouble_.empty()) {
        company_->log.info("listening", {{"worker", company_->relay->worker()}});
        hearing_->spawn(hear(me));
    }
    else {
        company_->log.warning(trouble_);
    }
    const bool ready = co_await predecessors_settled(me);
    if (!ready)
        co_return;
    tell_claimer(me);
    // Whatever came while nobody listened.
    (void)company_->claimer.try_send(wake{});
}

// An event that kills its worker is waiting for the next one. So before a worker claims for the
// first time, what the dead were running is charged to it, and then it is taken with care.
awaitable<bool> connection::predecessors_settled(self<messages>& me)
{
    if (told_)
        co_return true;
    int lost = 0;
    try {
        lost = co_await company_->relay->lost_workers();
    }
    catch (const std::exception& error) {
        note_trouble(company_->log, *company_->trouble, "connection", error);
    }
    if (lost > 0 && !std::exchange(careful_, true))
        company_->log.warning("a worker of this context has died: its rows are seen to first",
                              {{"workers", lost}});
    const bool waits = lost > 0 && me.now() - came_ < wait_for_the_dead;
    if (waits)
        me.after(look_again, settle_up{});
    co_return !waits;
}

awaitable<void> connection::hear(self<messages>& me)
{
    std::string why;
    try {
        for (;;) {
            co_await line_->heard();
            (void)me.address().try_send(heard{});
        }
    }
    catch (const std::exception& error) {
        if (detail::is_cancellation(std::current_exception()))
            throw;
        why = error.what();
    }
    (void)me.address().try_send(line_broke{why});
}

awaitable<void> connection::pause(scope& hearing)
{
    hearing.cancel();
    co_await hearing.join();
}

awaitable<void> connection::check(self<messages>& me)
{
    if (!line_) {
        co_await keep_alive(me);
        co_return;
    }
    const outbox::worker_report said = co_await report(me);
    co_await pause(*hearing_);
    std::string why;
    try {
        co_await line_->check(said);
        checked_ = me.now();
        heard_of_ = checked_;
    }
    catch (const std::exception& error) {
        if (detail::is_cancellation(std::current_exception()))
            throw;
        why = error.what();
    }
    if (!why.empty())
        lose(me, why);
    else if (line_->deaf_because().empty())
        hearing_->spawn(hear(me));
}

// The line is down, the worker is not: it says so by another way, as long as there is one.
awaitable<void> connection::keep_alive(self<messages>& me)
{
    tell_claimer(me);
    const outbox::worker_report said = co_await report(me);
    try {
        co_await company_->relay->keep_alive(said);
        heard_of_ = me.now();
    }
    catch (const std::exception& error) {
        note_trouble(company_->log, *company_->trouble, "connection", error);
    }
}

awaitable<void> connection::listen_on(self<messages>& me, std::string channel)
{
    if (!line_)
        co_return;
    const bool hearing = hearing_->alive() > 0;
    co_await pause(*hearing_);
    std::string why;
    try {
        co_await line_->listen_also(std::move(channel));
    }
    catch (const std::exception& error) {
        if (detail::is_cancellation(std::current_exception()))
            throw;
        why = error.what();
    }
    if (!why.empty())
        lose(me, why);
    else if (hearing)
        hearing_->spawn(hear(me));
}

void connection::lose(self<messages>& me, std::string_view why)
{
    line_.reset();
    trouble_ = why;
    const auto wait = reconnect_.failed(me.now().time_since_epoch(), me.loop().jitter());
    company_->log.warning("the line is down",
                          {{"error", why}, {"again_in_ms", wait / std::chrono::milliseconds(1)}});
    me.after(wait, try_again{});
    tell_claimer(me);
    note_vitals();
}

void connection::tell_claimer(self<messages>& me)
{
    const bool listening = line_ && line_->deaf_because().empty();
    const bool polling = line_ ? !listening : reconnect_.polling(me.now().time_since_epoch());
    // Before the first word of it nothing is claimed; after a short loss nothing changes.
    if (!listening && !polling)
        return;
    if (told_ && polling == told_polling_ && !listening)
        return;
    if (polling != told_polling_)
        company_->log.info(polling ? "polling" : "no longer polling");
    const bool first = !std::exchange(told_, true);
    told_polling_ = polling;
    line_state state{.listening = listening, .polling = polling, .careful = first && careful_};
    (void)company_->claimer.try_send(std::move(state));
}

// A claimer that was restarted has not heard what its predecessor was told.
void connection::repeat_to_claimer()
{
    if (!told_)
        return;
    const bool listening = line_ && line_->deaf_because().empty();
    line_state state{.listening = listening, .polling = told_polling_, .careful = careful_};
    (void)company_->claimer.try_send(std::move(state));
}

awaitable<outbox::worker_report> connection::report(self<messages>& me)
{
    const tally so_far = company_->tally->read();
    outbox::worker_report said{
        .delivered = so_far.delivered, .retried = so_far.retried, .failed = so_far.failed};
    try {
        const claimer_load load =
            co_await me.ask(company_->claimer, get_load{}, std::chrono::seconds(1));
        said.holding = load.in_hand;
    }
    catch (const ask_error&) {
        // It is starting or stopping: then it holds nothing that matters.
    }
    co_return said;
}

awaitable<void> connection::hang_up()
{
    if (!line_)
        co_return;
    try {
        co_await line_->hang_up();
    }
    catch (const std::exception& error) {
        // The session's end says the same.
        note_trouble(company_->log, *company_->trouble, "connection", error);
    }
    line_.reset();
}

line_health connection::health(self<messages>& me) const
{
    return {.listening = line_ && line_->deaf_because().empty(),
            .polling = told_polling_,
            .heartbeat_age = me.now() - checked_.value_or(time_point{}),
            .trouble = trouble_};
}

void connection::note_vitals() const
{
    company_->vitals->note_line({.listening = line_ && line_->deaf_because().empty(),
                                 .polling = told_polling_,
                                 .checked = checked_,
                                 .heard = heard_of_,
                                 .trouble = trouble_});
}

}

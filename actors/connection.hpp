#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/runtime/scope.hpp>
#include <cuebox/runtime/self.hpp>

#include <set>

namespace cuebox::actors {

// Holds the line: the dedicated session that listens, and whose life is the worker's. Turns any
// number of notifications into one wake, proves every few seconds that the line is alive, and
// brings it back when it is not.
class connection
{
public:
    using messages = connection_messages;
    static constexpr std::string_view kind = "connection";

    explicit connection(company_ptr company);

    awaitable<void> run(self<messages>& me);

private:
    awaitable<void> attempt(self<messages>& me);
    awaitable<bool> predecessors_settled(self<messages>& me);
    awaitable<void> check(self<messages>& me);
    awaitable<void> listen_on(self<messages>& me, std::string channel);
    awaitable<void> hear(self<messages>& me);
    // Stops hearing for as long as a statement runs on the line.
    awaitable<void> pause(scope& hearing);
    awaitable<void> keep_alive(self<messages>& me);
    awaitable<void> hang_up();
    awaitable<outbox::worker_report> report(self<messages>& me);
    void lose(self<messages>& me, std::string_view why);
    void tell_claimer(self<messages>& me);
    void repeat_to_claimer();
    line_health health(self<messages>& me) const;
    void note_vitals() const;

    company_ptr company_;
    policy::reconnect reconnect_;
    std::unique_ptr<outbox::line> line_;
    std::optional<scope> hearing_;
    std::optional<time_point> checked_;
    // By the line, or by another way while that is down.
    std::optional<time_point> heard_of_;
    std::string trouble_;
    // Channels that were learnt of while it ran.
    std::set<std::string> also_;
    bool told_polling_ = false;
    bool told_ = false;
    // A worker of this context had died without a word when this one came.
    bool careful_ = false;
    time_point came_{};
};

}

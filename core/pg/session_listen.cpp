#include <cuebox/pg/operation.hpp>

namespace cuebox::pg::detail {

// Waiting for a notification leaves nothing half done: it may be cancelled without harm.
class session::listening
{
public:
    listening(session& on, clock::time_point deadline) : session_(on)
    {
        on.running_ = true;
        on.socket_.expect_by(deadline);
    }
    ~listening()
    {
        session_.running_ = false;
        session_.socket_.expect_nothing();
    }
    listening(const listening&) = delete;
    listening& operator=(const listening&) = delete;

private:
    session& session_;
};

awaitable<std::optional<notification>> session::next_notification(clock::time_point deadline)
{
    expect_free("notification");
    collect_notifications(); // libpq may have read more than the last statement looked at.
    if (notifications_.empty()) {
        const listening until(*this, deadline);
        while (notifications_.empty()) {
            const readiness ended = co_await socket_.wait(interest::read);
            if (ended == readiness::timed_out)
                co_return std::nullopt;
            expect_alive("notification");
            if (!PQconsumeInput(connection_)) {
                break_off("the server hung up: " + why_lost());
                expect_alive("notification");
            }
            collect_notifications();
        }
    }
    notification first = std::move(notifications_.front());
    notifications_.pop_front();
    co_return first;
}

}

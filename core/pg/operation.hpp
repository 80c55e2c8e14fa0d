#pragma once

#include <cuebox/pg/cancel_point.hpp>
#include <cuebox/pg/session.hpp>

#include <libpq-fe.h>

#include <memory>

// Private to this room.
namespace cuebox::pg::detail {

struct clear_result
{
    void operator()(PGresult* taken) const { PQclear(taken); }
};
using owned_result = std::unique_ptr<PGresult, clear_result>;

// From the first byte sent to the last answer read. One that ends without finish() was abandoned.
class session::operation
{
public:
    enum copy_rule
    {
        outside_copy,
        within_copy
    };

    operation(session& on, std::string_view statement, copy_rule rule = outside_copy)
        : session_(on),
          statement_(statement)
    {
        if (rule == outside_copy)
            on.expect_free(statement);
        on.expect_alive(statement);
        on.running_ = true;
        if (!on.copying_) // A COPY is one operation, from its start to its end.
            on.cancelling_->begin();
        on.socket_.expect_by(deadline_in(on.statement_deadline));
    }
    ~operation()
    {
        session_.running_ = false;
        session_.socket_.expect_nothing();
        if (!finished_)
            session_.break_off("an operation was abandoned on it");
        if (!session_.copying_)
            session_.cancelling_->end();
    }
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;

    void finish() { finished_ = true; }
    std::string_view statement() const { return statement_; }

private:
    session& session_;
    std::string_view statement_;
    bool finished_ = false;
};

}

#pragma once

#include <cuebox/pg/connection.hpp>
#include <cuebox/pg/savepoint.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cuebox::pg {

enum class isolation
{
    read_committed,
    repeatable_read,
    serializable
};

// Statements that happen together or not at all. Ending it is explicit: one that is dropped open
// closes its connection, whereupon the server rolls back, and a pool takes a new one.
//
//     pg::transaction work{connection};
//     co_await work.execute(insert_order, 7, "ada");
//     const order_placed placed{.number = 7};
//     co_await publisher.publish(work, placed);
//     co_await work.commit();
//
// BEGIN travels with the first statement, so it costs no round trip of its own.
class transaction : public querying<transaction>
{
public:
    explicit transaction(connection& on, isolation level = isolation::read_committed);
    // Neither copied nor moved: savepoints and copies know it by its address.
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;
    ~transaction();

    awaitable<std::vector<outcome>> run(pipeline batch);
    awaitable<void> run_script(statement script);

    // Goes along with whatever is asked next, the commit at the latest, without a round trip of its
    // own: for writes whose answer nobody waits for. If it fails, so does what it went along with,
    // and with its error. Its name and text have to live until then.
    template <class... Values>
    void send_along(const statement& what, const Values&... values)
    {
        send_along(what, params(std::in_place, values...));
    }
    void send_along(const statement& what, params values);
    // Sends now what is to go along, and waits for it.
    awaitable<void> flush();

    // A part that can be undone on its own.
    awaitable<pg::savepoint> savepoint();

    // Throws when the server rolled back instead, because a statement had failed; and, as
    // errc::commit_unknown, when the connection broke before the answer. Cancelled while it waits,
    // it throws as all do that are cancelled, and the commit may have happened all the same: see
    // commit_unknown().
    awaitable<void> commit();
    // These statements, then COMMIT, in one round trip. If one fails nothing is committed, the
    // transaction is over, and its error is thrown.
    awaitable<std::vector<outcome>> commit_with(pipeline last);
    awaitable<void> rollback();
    // Goes along with COMMIT, just before it and without a round trip of its own. If it fails
    // nothing is committed.
    void add_to_commit(const statement& what, params values);

    // Called once, in order, when the commit is known to have happened. It must not throw.
    void after_commit(std::function<void()> call);

    // While it is lent its end is not for who has it: commit and rollback are refused.
    void lend() noexcept { lent_ = true; }
    void take_back() noexcept { lent_ = false; }

    // How often something was asked of it, or added to its commit: the same number before and after
    // means that nothing was done.
    std::size_t uses() const noexcept { return uses_; }

    // Nothing more can be done in it: a statement has failed, or the connection is gone. A
    // savepoint that is rolled back makes the former good.
    bool failed() const noexcept;

    // What was added to the commit since, or is still to go along: forgotten with the part of the
    // work it belongs to.
    struct additions
    {
        std::size_t statements = 0;
        std::size_t calls = 0;
    };
    additions added() const noexcept { return {with_commit_.size(), after_commit_.size()}; }
    void forget_since(additions then);

    // Neither committed nor rolled back yet.
    bool open() const noexcept { return state_ != state::over; }
    // COMMIT was sent and its answer never arrived, for whatever reason: it may have happened.
    bool commit_unknown() const noexcept { return commit_unknown_; }

    detail::session& session() const noexcept { return *session_; }
    // BEGIN if that is still to go, and COPY; for copy_in, which speaks to the session directly.
    awaitable<void> begin_copy(statement copy);

private:
    enum class state
    {
        unsent, // BEGIN is still to go.
        begun,
        over
    };

    void expect_open(std::string_view statement) const;
    void expect_own(std::string_view statement) const;
    // Also that nobody has ended it meanwhile: what follows would commit by itself.
    void expect_inside(std::string_view statement) const;
    // That no other transaction is open on the connection: the two would become one.
    void expect_first(std::string_view statement) const;
    // Prepends BEGIN when it is due, and what goes along; says how many were added.
    std::size_t prepend_due(std::vector<detail::command>& commands);
    std::size_t prepend_begin(std::vector<detail::command>& commands);
    awaitable<std::vector<outcome>> run_commands(std::vector<detail::command> commands);
    awaitable<void> begin();
    void finish_commit();

    friend class pg::savepoint;

    detail::session* session_;
    isolation level_;
    state state_ = state::unsent;
    std::size_t uses_ = 0;
    bool lent_ = false;
    int savepoints_ = 0; // Open ones, which nest.
    bool commit_unknown_ = false;
    std::vector<detail::command> along_;
    std::vector<detail::command> with_commit_;
    std::vector<std::function<void()>> after_commit_;
};

}

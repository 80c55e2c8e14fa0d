#include <cuebox/pg/copy_in.hpp>
#include <cuebox/pg/session.hpp>

#include <utility>

namespace cuebox::pg {

namespace {

// Enough for the socket to be busy, little enough to stay in the cache.
constexpr std::size_t send_at = 64 * 1'024;

// The signature of the format, no flags, no extension.
constexpr std::string_view header{"PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19};

}

copy_in::copy_in(transaction& within, statement copy)
    : transaction_(&within),
      statement_(copy),
      buffer_(header),
      row_(buffer_.size())
{}

copy_in::copy_in(copy_in&& other) noexcept
    : transaction_(std::exchange(other.transaction_, nullptr)),
      statement_(other.statement_),
      buffer_(std::move(other.buffer_)),
      row_(other.row_),
      rows_(other.rows_)
{}

copy_in::~copy_in()
{
    if (transaction_)
        transaction_->session().break_off("a COPY was dropped open on it");
}

awaitable<copy_in> copy_in::start(transaction& within, statement copy)
{
    co_await within.begin_copy(copy);
    co_return copy_in(within, copy);
}

void copy_in::begin_row(std::size_t fields)
{
    buffer_.resize(row_); // What a refused one left.
    ++rows_;
    wire::put(buffer_, static_cast<std::int16_t>(fields));
}

void copy_in::refuse_nul() const
{
    throw error(errc::usage, statement_.name,
                "row " + std::to_string(rows_) +
                    ": a text contains a NUL byte: Postgres cannot store it");
}

awaitable<void> copy_in::send_if_full()
{
    if (buffer_.size() < send_at)
        co_return;
    co_await transaction_->session().send_copy(statement_, buffer_);
    buffer_.clear();
    row_ = 0;
}

awaitable<std::size_t> copy_in::finish()
{
    if (!transaction_)
        throw error(errc::usage, statement_.name, "the COPY has ended already");
    buffer_.resize(row_);
    wire::put(buffer_, std::int16_t{-1});
    auto& session = std::exchange(transaction_, nullptr)->session();
    co_await session.send_copy(statement_, buffer_);
    const std::size_t taken = co_await session.end_copy(statement_);
    co_return taken;
}

}

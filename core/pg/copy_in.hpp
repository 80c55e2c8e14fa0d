#pragma once

#include <cuebox/pg/params.hpp>
#include <cuebox/pg/statement.hpp>
#include <cuebox/pg/transaction.hpp>

#include <cstddef>
#include <string>

namespace cuebox::pg {

// COPY … FROM STDIN (FORMAT binary): the fastest way in for many rows. The values of a row are
// those of the statement's columns, in their order and exactly their types: std::int64_t is bigint,
// std::string text, pg::json jsonb. Ending it is explicit: one that is dropped open closes the
// connection.
class copy_in
{
public:
    static awaitable<copy_in> start(transaction& within, statement copy);
    copy_in(copy_in&& other) noexcept;
    copy_in& operator=(copy_in&&) = delete;
    ~copy_in();

    template <class... Values>
    awaitable<void> write(const Values&... values)
    {
        begin_row(sizeof...(Values));
        (append(values), ...); // If it refuses one, the row is not written.
        row_ = buffer_.size();
        return send_if_full();
    }

    // How many rows the server took.
    awaitable<std::size_t> finish();

private:
    copy_in(transaction& within, statement copy);

    void begin_row(std::size_t fields);
    template <class T>
    void append(const T& value)
    {
        if (detail::is_text_with_nul(value))
            refuse_nul();
        detail::put_sized(buffer_, value);
    }
    [[noreturn]] void refuse_nul() const;
    awaitable<void> send_if_full();

    transaction* transaction_; // Null when it has ended.
    statement statement_;
    std::string buffer_;
    std::size_t row_ = 0; // Where the next one begins.
    std::size_t rows_ = 0;
};

}

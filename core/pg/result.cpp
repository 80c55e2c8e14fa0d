#include <cuebox/pg/result.hpp>
#include <cuebox/pg/session.hpp>

#include <libpq-fe.h>

#include <charconv>

namespace cuebox::pg {

void result::clear::operator()(pg_result* taken) const
{
    PQclear(taken);
}

result::result(pg_result* taken, std::string_view statement) : taken_(taken), statement_(statement)
{}

std::size_t result::size() const noexcept
{
    return static_cast<std::size_t>(PQntuples(taken_.get()));
}

std::size_t result::columns() const noexcept
{
    return static_cast<std::size_t>(PQnfields(taken_.get()));
}

std::size_t result::parameters() const noexcept
{
    return static_cast<std::size_t>(PQnparams(taken_.get()));
}

std::size_t result::affected() const
{
    const std::string_view digits = taken_ ? PQcmdTuples(taken_.get()) : "";
    std::size_t count = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    return count;
}

std::string_view result::tag() const
{
    return taken_ ? PQcmdStatus(taken_.get()) : "";
}

void result::expect_success() const
{
    const auto status = PQresultStatus(taken_.get());
    if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE)
        throw detail::to_error(statement_, taken_.get());
}

field result::heading(std::size_t column) const
{
    const int c = static_cast<int>(column);
    return {.statement = statement_,
            .column = PQfname(taken_.get(), c),
            .type = PQftype(taken_.get(), c)};
}

void result::look_up(std::size_t row, std::size_t column, pg::field& field) const
{
    const int r = static_cast<int>(row);
    const int c = static_cast<int>(column);
    const auto* from = taken_.get();
    const int length = PQgetlength(from, r, c);
    // Each of these checks its arguments anew, for every field of every row: no more than needed.
    field.null = length == 0 && PQgetisnull(from, r, c) != 0;
    field.data = {};
    if (length > 0)
        field.data = {PQgetvalue(from, r, c), static_cast<std::size_t>(length)};
}

field result::field(std::size_t row, std::size_t column) const
{
    pg::field found = heading(column);
    look_up(row, column, found);
    return found;
}

void result::locate(std::span<const std::string_view> names, std::span<std::size_t> places) const
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto is_it = [this, &names, i](std::size_t column) {
            return names[i] == PQfname(taken_.get(), static_cast<int>(column));
        };
        // Structs mostly have their fields in the order of the columns.
        std::size_t column = i < columns() && is_it(i) ? i : 0;
        while (column < columns() && !is_it(column))
            ++column;
        if (column == columns())
            throw error(errc::shape, statement_,
                        "the result has no column \"" + std::string(names[i]) +
                            "\": select it, or take it out of the struct");
        places[i] = column;
    }
}

void result::refuse_count(std::string_view wanted) const
{
    throw error(errc::shape, statement_,
                "expected " + std::string(wanted) + ", got " + std::to_string(size()));
}

void result::refuse_columns() const
{
    throw error(errc::shape, statement_,
                "expected one column, got " + std::to_string(columns()) +
                    ": select one, or read the row into a struct");
}

}

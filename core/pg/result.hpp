#pragma once

#include <cuebox/pg/field.hpp>

#include <boost/pfr/core.hpp>
#include <boost/pfr/core_name.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

struct pg_result; // libpq's PGresult

namespace cuebox::pg {

// What a statement gave back. Rows are read into plain structs, each field from the column of its
// name, or into a single value from the only column:
//
//     struct order { std::int64_t id; std::string buyer; std::optional<pg::timestamp> paid_at; };
//     for (const order& each : result.rows<order>()) …
//     const auto count = result.only<std::int64_t>();
class result
{
public:
    result() = default;
    result(pg_result* taken, std::string_view statement);

    std::size_t size() const noexcept; // Rows.
    bool empty() const noexcept { return size() == 0; }
    // Rows inserted, updated or deleted.
    std::size_t affected() const;
    // What the server calls what it did: "INSERT 0 1".
    std::string_view tag() const;

    template <class Row>
    Row row(std::size_t index) const;
    template <class Row>
    std::vector<Row> rows() const;
    // Gives each row in turn to `use`, as a Row&&: for rows that are made into something else.
    template <class Row, class F>
    void each(F use) const;
    // The first row if there is any.
    template <class Row>
    std::optional<Row> first() const;
    // The only row; none or several is an error of errc::shape.
    template <class Row>
    Row only() const;

    // Throws what the server said, if it refused the statement.
    void expect_success() const;

    pg::field field(std::size_t row, std::size_t column) const;
    std::size_t columns() const noexcept;
    // How many a statement takes that was described.
    std::size_t parameters() const noexcept;

private:
    // A column without a row: its name and type.
    pg::field heading(std::size_t column) const;
    // Makes it the field of that row.
    void look_up(std::size_t row, std::size_t column, pg::field& field) const;
    // Which column holds each of the named fields.
    void locate(std::span<const std::string_view> names, std::span<std::size_t> columns) const;
    [[noreturn]] void refuse_count(std::string_view wanted) const;
    [[noreturn]] void refuse_columns() const;

    template <class Row>
    struct reader;

    struct clear
    {
        void operator()(pg_result* taken) const;
    };
    std::unique_ptr<pg_result, clear> taken_;
    std::string_view statement_;
};

namespace detail {

template <class T>
concept scalar_field = requires(const field& from, T& out) { read_field(from, out); };

}

template <class Row>
struct result::reader
{
    explicit reader(const result& from) : from(from)
    {
        if constexpr (detail::scalar_field<Row>) {
            if (from.columns() != 1)
                from.refuse_columns();
        }
        else {
            static_assert(std::is_aggregate_v<Row>, "a row is a plain struct or a single value");
            static constexpr auto names = boost::pfr::names_as_array<Row>();
            from.locate(names, columns);
        }
        for (std::size_t i = 0; i < width(); ++i)
            fields[i] = from.heading(columns[i]);
    }

    void operator()(std::size_t index, Row& out)
    {
        if constexpr (detail::scalar_field<Row>)
            read_field(at(index, 0), out);
        else
            boost::pfr::for_each_field(out, [this, index](auto& member, std::size_t which) {
                read_field(at(index, which), member);
            });
    }

    const pg::field& at(std::size_t index, std::size_t which)
    {
        from.look_up(index, columns[which], fields[which]);
        return fields[which];
    }

    static constexpr std::size_t width()
    {
        if constexpr (detail::scalar_field<Row>)
            return 1;
        else
            return boost::pfr::tuple_size_v<Row>;
    }

    const result& from;
    std::array<std::size_t, width()> columns{};
    // All but a row's own part, which is written over from row to row.
    std::array<pg::field, width()> fields{};
};

template <class Row>
Row result::row(std::size_t index) const
{
    Row out{};
    reader<Row>{*this}(index, out);
    return out;
}

template <class Row>
std::vector<Row> result::rows() const
{
    std::vector<Row> all;
    all.reserve(size());
    reader<Row> read(*this);
    for (std::size_t i = 0; i < size(); ++i) {
        if constexpr (std::is_same_v<Row, bool>) { // Its vector has no bools to refer to.
            bool one = false;
            read(i, one);
            all.push_back(one);
        }
        else
            read(i, all.emplace_back());
    }
    return all;
}

template <class Row, class F>
void result::each(F use) const
{
    reader<Row> read(*this);
    Row one{};
    for (std::size_t i = 0; i < size(); ++i) {
        read(i, one); // Every field anew, whatever was taken out of it.
        use(std::move(one));
    }
}

template <class Row>
std::optional<Row> result::first() const
{
    if (empty())
        return std::nullopt;
    return row<Row>(0);
}

template <class Row>
Row result::only() const
{
    if (size() != 1)
        refuse_count("one row");
    return row<Row>(0);
}

}

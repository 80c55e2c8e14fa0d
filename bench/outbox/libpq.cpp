#include "libpq.hpp"

#include <stdexcept>

namespace bench::outbox::bare {

namespace {

template <class T>
std::string big_endian(T value)
{
    std::string bytes(sizeof value, '\0');
    for (std::size_t i = 0; i < sizeof value; ++i)
        bytes[i] = static_cast<char>(value >> (8 * (sizeof value - 1 - i)));
    return bytes;
}

}

parameter text(std::string_view value)
{
    return {std::string(value)};
}

parameter int4(std::int32_t value)
{
    return {big_endian(static_cast<std::uint32_t>(value))};
}

parameter int8(std::int64_t value)
{
    return {big_endian(static_cast<std::uint64_t>(value))};
}

parameter boolean(bool value)
{
    return {std::string(1, value ? '\1' : '\0')};
}

parameter nothing()
{
    return {.null = true};
}

parameter array(std::uint32_t element_type, const std::vector<std::string>& elements)
{
    const std::uint32_t dimensions = elements.empty() ? 0 : 1;
    std::string bytes =
        big_endian(dimensions) + big_endian(std::uint32_t{0}) + big_endian(element_type);
    if (!elements.empty())
        bytes +=
            big_endian(static_cast<std::uint32_t>(elements.size())) + big_endian(std::uint32_t{1});
    for (const std::string& each : elements) {
        bytes += big_endian(static_cast<std::uint32_t>(each.size()));
        bytes += each;
    }
    return {std::move(bytes)};
}

std::int64_t read_int8(const PGresult* from, int row, int column)
{
    const char* bytes = PQgetvalue(from, row, column);
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return static_cast<std::int64_t>(value);
}

std::string read_bytes(const PGresult* from, int row, int column)
{
    return {PQgetvalue(from, row, column),
            static_cast<std::size_t>(PQgetlength(from, row, column))};
}

connection::connection() : raw_(PQconnectdb(""), &PQfinish)
{
    if (PQstatus(raw_.get()) != CONNECTION_OK)
        fail("connect");
}

void connection::fail(const char* what) const
{
    throw std::runtime_error(std::string(what) + ": " + PQerrorMessage(raw_.get()));
}

result connection::checked(PGresult* answer)
{
    result owned(answer, &PQclear);
    const auto status = PQresultStatus(owned.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_PIPELINE_SYNC)
        fail("statement");
    return owned;
}

void connection::prepare(const char* name, std::string_view sql)
{
    checked(PQprepare(raw_.get(), name, std::string(sql).c_str(), 0, nullptr));
}

result connection::run(std::string_view sql)
{
    return checked(PQexec(raw_.get(), std::string(sql).c_str()));
}

void connection::send(const char* name, const std::vector<parameter>& values)
{
    std::vector<const char*> bytes;
    std::vector<int> sizes;
    const std::vector<int> formats(values.size(), 1);
    for (const parameter& each : values) {
        bytes.push_back(each.null ? nullptr : each.bytes.data());
        sizes.push_back(static_cast<int>(each.bytes.size()));
    }
    if (PQsendQueryPrepared(raw_.get(), name, static_cast<int>(values.size()), bytes.data(),
                            sizes.data(), formats.data(), 1) == 0)
        fail("send");
}

result connection::run_prepared(const char* name, const std::vector<parameter>& values)
{
    send(name, values);
    result answer = checked(PQgetResult(raw_.get()));
    PQclear(PQgetResult(raw_.get())); // There is no other.
    return answer;
}

std::vector<result> connection::run_together(const std::vector<step>& steps)
{
    if (PQenterPipelineMode(raw_.get()) == 0)
        fail("pipeline");
    for (const step& each : steps)
        send(each.name, each.values);
    if (PQpipelineSync(raw_.get()) == 0)
        fail("sync");
    std::vector<result> answers;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        answers.push_back(checked(PQgetResult(raw_.get())));
        PQclear(PQgetResult(raw_.get())); // The end of that statement.
    }
    checked(PQgetResult(raw_.get())); // The sync.
    if (PQexitPipelineMode(raw_.get()) == 0)
        fail("end of pipeline");
    return answers;
}

}

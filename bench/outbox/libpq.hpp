#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The least that hand-written code over libpq needs: binary parameters, pipelines, no coroutines.
namespace bench::outbox::bare {

using result = std::unique_ptr<PGresult, decltype(&PQclear)>;

// A parameter as the server sends and receives it; none is null.
struct parameter
{
    std::string bytes{};
    bool null = false;
};
parameter text(std::string_view value);
parameter int4(std::int32_t value);
parameter int8(std::int64_t value);
parameter boolean(bool value);
parameter nothing();
// Of elements that are written already.
parameter array(std::uint32_t element_type, const std::vector<std::string>& elements);
inline constexpr std::uint32_t text_type = 25;
inline constexpr std::uint32_t tid_type = 27;
inline constexpr std::uint32_t uuid_type = 2950;

std::int64_t read_int8(const PGresult* from, int row, int column);
std::string read_bytes(const PGresult* from, int row, int column);

class connection
{
public:
    connection();

    PGconn* get() const noexcept { return raw_.get(); }
    void prepare(const char* name, std::string_view sql);
    result run(std::string_view sql);
    result run_prepared(const char* name, const std::vector<parameter>& values);

    // Several prepared statements in one round trip and one transaction; their results, in order.
    struct step
    {
        const char* name;
        std::vector<parameter> values;
    };
    std::vector<result> run_together(const std::vector<step>& steps);

private:
    void send(const char* name, const std::vector<parameter>& values);
    result checked(PGresult* answer);
    void fail(const char* what) const;

    std::unique_ptr<PGconn, decltype(&PQfinish)> raw_;
};

}
